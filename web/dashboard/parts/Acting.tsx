// A button that does something at once, asks again before what cannot be taken back, and says what went wrong.
import { useState } from "preact/hooks";

export interface ActingProps {
  words: string;
  about: string;
  act: () => Promise<void>;
  isGrave?: boolean;
}

export function Acting({ words, about, act, isGrave = false }: ActingProps) {
  const [isSure, setIsSure] = useState(!isGrave);
  const [said, setSaid] = useState("");
  const press = () => {
    if (!isSure) {
      setIsSure(true);
      return;
    }
    act()
      .then(() => setSaid(""))
      .catch((error: unknown) => setSaid(error instanceof Error ? error.message : "That did not work."))
      .finally(() => setIsSure(!isGrave));
  };
  return (
    <>
      <button
        type="button"
        class={isGrave && isSure ? "grave" : "quiet"}
        aria-label={`${isGrave && isSure ? `Really ${words.toLowerCase()}` : words} ${about}`}
        onClick={press}
        onBlur={() => isGrave && setIsSure(false)}
      >
        {isGrave && isSure ? `Really ${words.toLowerCase()}?` : words}
      </button>
      {said ? (
        <span class="said bad" role="alert">
          {said}
        </span>
      ) : null}
    </>
  );
}
