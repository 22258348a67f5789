// A brand without hits: what to put on its pages, and a line to try.
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { type Key, keyChanges, publicKeyOf } from "../keys.ts";
import { reasonWords } from "../reasons.ts";
import type { Screening } from "../shapes.ts";
import { commandOf, snippetOf } from "../snippets.ts";
import { whole } from "../words.ts";
import { Link } from "./Link.tsx";

// The public key of a brand that has one: none for open brands, null until it is known, undefined for whoever may not know it.
export function usePublicKey(): string | null | undefined {
  const { brand } = useStanding();
  const isOpen = facts.brands.some((one) => one.brand === brand.brand);
  const mayKnow = !isOpen && mayDo(brand.role, "admin");
  const asked = useAsked<{ keys: Key[] }>(mayKnow ? "/v1/keys" : null, { brand: brand.brand });
  const changes = useCell(keyChanges);
  const seen = useRef(changes);
  useEffect(() => {
    if (seen.current !== changes) asked.again();
    seen.current = changes;
  }, [changes]);
  if (isOpen) return "";
  if (!mayKnow || asked.problem) return undefined;
  return asked.value ? publicKeyOf(asked.value.keys) : null;
}

// What Now says before anybody has been counted: hits that came and are no reader's are no reason to show the snippet again.
export function BeforeReaders({ lastHit }: { lastHit: string | null }) {
  const { brand } = useStanding();
  const mayRead = brand.role !== undefined || facts.brands.some((one) => one.brand === brand.brand);
  const asked = useAsked<Screening>(
    mayRead ? "/v1/screening" : null,
    { brand: brand.brand, period: "day", limit: 1 },
    5_000,
  );
  const hasCome = lastHit !== null;
  useEffect(() => {
    if (hasCome) asked.again(); // What it is waits for no turn.
  }, [hasCome]);
  if (mayRead && asked.isAsking) return null;
  const hits = asked.value?.hits ?? 0;
  if (!hits) return hasCome ? null : <FirstSteps />;
  const [why] = Object.entries(asked.value?.reasons ?? {});
  return (
    <section class="card first" aria-labelledby="first-title">
      <h2 id="first-title">
        {hits === 1
          ? "1 hit came, and it is no reader’s"
          : `${whole(hits)} hits came, and none is a reader’s`}
      </h2>
      <p>
        Your pages are heard. Lists count readers alone, and what came was screened
        {why ? `: ${reasonWords(why[0])}` : ""}. This page moves with the first reader.{" "}
        <Link to={addressOf("/screening", brand.brand)}>See Screening</Link>
      </p>
    </section>
  );
}

export function FirstSteps() {
  const { brand } = useStanding();
  const key = usePublicKey();
  if (key === null) return null;
  if (key === undefined) {
    return (
      <section class="card first" aria-labelledby="first-title">
        <h2 id="first-title">No hits yet</h2>
        <p>
          {mayDo(brand.role, "admin")
            ? "This brand has no public key that lasts: make one in Settings, and the line for its pages is here."
            : "An administrator of this brand finds the line for its pages here and in Settings, with the brand’s public key."}
        </p>
      </section>
    );
  }
  return (
    <section class="card first" aria-labelledby="first-title">
      <h2 id="first-title">No hits yet: here is your snippet</h2>
      <p>
        Put this line into your pages. It tells of each page as it is seen; this page moves with the first
        reader’s hit.
      </p>
      <Copied name="the snippet" text={snippetOf(location.origin, brand.brand, key)} />
      <p>Or send one hit now, from a terminal, as a reader’s browser would:</p>
      <Copied name="the command" text={commandOf(location.origin, brand.brand, key)} />
    </section>
  );
}

export function Copied({ name, text }: { name: string; text: string }) {
  const [said, setSaid] = useState("Copy");
  const copy = async (code: HTMLElement | null) => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Browsers keep the clipboard to secure pages; elsewhere the text is marked, ready for Ctrl+C.
      if (code) getSelection()?.selectAllChildren(code);
      setSaid("Marked");
    }
    setTimeout(() => setSaid("Copy"), 1_500);
  };
  return (
    <div class="copied">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <button
        type="button"
        aria-label={`${said} ${name}`}
        onClick={(event) => void copy(event.currentTarget.parentElement?.querySelector("code") ?? null)}
      >
        {said}
      </button>
    </div>
  );
}
