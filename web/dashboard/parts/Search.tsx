// Finds an asset among the week's most read by its title or id; any id leads to its page.
import { useEffect, useRef, useState } from "preact/hooks";
import { assetAddress, go } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { found } from "../finding.ts";
import type { List } from "../shapes.ts";
import { Link } from "./Link.tsx";

export function Search() {
  const { brand, periods } = useStanding();
  const [words, setWords] = useState("");
  const [isUsed, setIsUsed] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const period = periods.includes("week") ? "week" : (periods.at(-1) ?? "day");
  const list = useAsked<List>(isUsed ? "/v1/popular" : null, { brand: brand.brand, period, limit: 100 });
  const matches = found(list.value?.items ?? [], words);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (
        event.key !== "/" ||
        event.ctrlKey ||
        event.metaKey ||
        /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
      )
        return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const open = (asset: string) => {
    setWords("");
    go(assetAddress(asset, brand.brand));
  };
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const asset = matches[0]?.assetId ?? words.trim();
          if (asset) open(asset);
        }}
      >
        <input
          ref={input}
          type="search"
          value={words}
          aria-label="Find an asset by title or id"
          placeholder="Find an asset ( / )"
          autocomplete="off"
          onFocus={() => setIsUsed(true)}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && setWords("")}
        />
      </form>
      {words.trim() ? (
        <ul class="found">
          {matches.map((item) => (
            <li key={item.assetId}>
              <Link to={assetAddress(item.assetId, brand.brand)}>
                {item.title || item.assetId} <span class="labels">{item.title ? item.assetId : ""}</span>
              </Link>
            </li>
          ))}
          {matches.length ? null : (
            <li>
              <Link to={assetAddress(words.trim(), brand.brand)}>Open the asset “{words.trim()}”</Link>
            </li>
          )}
        </ul>
      ) : null}
    </search>
  );
}
