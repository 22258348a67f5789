// A formula as it is written, whatever script its names are in.
import { wordsOf } from "../changes.ts";

// Each name keeps to itself: two that are read from right to left would change places around a minus.
export function Formula({ text }: { text: string }) {
  return (
    <p class="formula" dir="ltr">
      <code>{wordsOf(text).map((word) => (/[\p{L}\p{N}]/u.test(word) ? <bdi>{word}</bdi> : word))}</code>
    </p>
  );
}
