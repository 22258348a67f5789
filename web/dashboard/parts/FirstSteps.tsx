// A brand without hits: what to put on its pages, and a line to try.
import { useState } from "preact/hooks";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { commandOf, snippetOf } from "../snippets.ts";

// The public key of a brand that has one: none for open brands, and undefined for whoever may not know it.
export function usePublicKey(): string | undefined {
  const { brand } = useStanding();
  const isOpen = facts.brands.some((one) => one.brand === brand.brand);
  const asked = useAsked<{ keys: { kind: string; key: string }[] }>(
    !isOpen && mayDo(brand.role, "admin") ? "/v1/keys" : null,
    { brand: brand.brand },
  );
  if (isOpen) return "";
  return asked.value?.keys.find((one) => one.kind === "public")?.key;
}

export function FirstSteps() {
  const { brand } = useStanding();
  const key = usePublicKey();
  if (key === undefined) {
    return (
      <section class="card first" aria-labelledby="first-title">
        <h2 id="first-title">No hits yet</h2>
        <p>
          An administrator of this brand finds the line for its pages here and in Settings, with the brand’s
          public key.
        </p>
      </section>
    );
  }
  return (
    <section class="card first" aria-labelledby="first-title">
      <h2 id="first-title">No hits yet: here is your snippet</h2>
      <p>
        Put this line into your pages. It tells of each page as it is seen; this page moves with the first
        hit.
      </p>
      <Copied name="the snippet" text={snippetOf(location.origin, brand.brand, key)} />
      <p>Or send one hit now, from a terminal:</p>
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
