// In what two texts differ, word by word, so that a reader need not compare them by eye. Pure.

export interface Piece {
  text: string;
  isOther: boolean; // The other text does not have it.
}

// A name between quotes, a word, some space, or one sign.
const WORD = /"(?:[^"\\]|\\.)*"|[\p{L}\p{M}\p{N}_]+|\s+|./gsu;
const WORDS_MAX = 1_500; // Beyond them comparing takes longer than anybody waits, and tells nothing.

export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

// Names of a list are compared whole, whatever words they are made of.
export function itemsOf(names: readonly unknown[]): string[] {
  return names.flatMap((one, place) => (place ? [", ", String(one)] : [String(one)]));
}

export function compared(
  old: readonly string[],
  now: readonly string[],
): { before: Piece[]; after: Piece[] } {
  if (Math.max(old.length, now.length) > WORDS_MAX)
    return { before: joined(old, new Set()), after: joined(now, new Set()) };
  const kept = common(old, now);
  const [inOld, inNow] = [new Set(kept.map(([at]) => at)), new Set(kept.map(([, at]) => at))];
  return { before: joined(old, inOld), after: joined(now, inNow) };
}

// The places of the longest row of words that both have in the same order.
function common(old: readonly string[], now: readonly string[]): [number, number][] {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const of = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === now[j] ? of(i + 1, j + 1) + 1 : Math.max(of(i + 1, j), of(i, j + 1));
    }
  }
  const found: [number, number][] = [];
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) found.push([i++, j++]);
    else if (of(i + 1, j) >= of(i, j + 1)) i++;
    else j++;
  }
  return found;
}

function joined(words: readonly string[], kept: ReadonlySet<number>): Piece[] {
  const pieces: Piece[] = [];
  for (const [place, text] of words.entries()) {
    const isOther = !kept.has(place);
    const last = pieces.at(-1);
    if (last?.isOther === isOther) last.text += text;
    else pieces.push({ text, isOther });
  }
  return pieces;
}

// What became of a field, in a word.
export function fateOf(before: string, after: string): string {
  if (before === "–") return "added";
  return after === "–" ? "removed" : "changed";
}
