// What a long page has, at its top: a link to each of its parts that is really there.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

interface Entry {
  id: string;
  words: string;
}

export function Contents({ of }: { of: RefObject<HTMLElement | null> }) {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  useEffect(() => {
    const page = of.current;
    if (!page) return;
    const look = () => {
      const found = [...page.querySelectorAll(".card > h2[id]")].map(({ id, textContent }) => ({
        id,
        words: textContent ?? "",
      }));
      setEntries((known) => (isSame(known, found) ? known : found));
    };
    // A part that is not for everybody goes away again when the server says so, and its link with it.
    const watcher = new MutationObserver(look);
    watcher.observe(page, { childList: true, subtree: true });
    look();
    // Whoever comes with an address of a part is led there once it is drawn.
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    return () => watcher.disconnect();
  }, []);
  return (
    <nav class="contents" aria-label="On this page">
      <ul>
        {entries.map(({ id, words }) => (
          <li key={id}>
            <a href={`#${id}`}>{words}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isSame(known: readonly Entry[], found: readonly Entry[]): boolean {
  return (
    known.length === found.length &&
    known.every((one, at) => one.id === found[at]?.id && one.words === found[at]?.words)
  );
}
