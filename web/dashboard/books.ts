// The ledger's lines in their order, and whether they add up. Pure.

export interface Line {
  name: string;
  says: string;
  hits: number;
  reasons: { name: string; hits: number }[];
}

const LINES: readonly (readonly [string, string, string])[] = [
  ["counted", "Counted", "people’s, in the lists"],
  ["duplicate", "Duplicate", "sent before, by id or Idempotency-Key"],
  ["screened", "Screened", "labelled as no person’s, by reason"],
  ["late", "Late", "too old when they arrived"],
  ["future", "Future", "ahead of the clock"],
  ["unlabelled", "Unlabelled", "waiting until the catalogue knows the asset"],
  ["dead", "Dead", "could not be read or counted"],
  ["inFlight", "In flight", "in the stream and not counted yet"],
];
// Values of counters by name are no hits: nothing of them is late, ahead or without labels.
const OF_COUNTERS = ["counted", "duplicate", "screened", "dead", "inFlight"];

export type Book = { accepted: number } & Record<string, unknown>;

export function linesOf(book: Book): Line[] {
  return linesIn(book, LINES);
}

// The lines of values that are counted by name, in their own words.
export function counterLinesOf(book: Book): Line[] {
  const says: Record<string, string> = { counted: "in their counters" };
  return linesIn(
    book,
    LINES.filter(([key]) => OF_COUNTERS.includes(key)).map(([key, name, words]) => [
      key,
      name,
      says[key] ?? words,
    ]),
  );
}

function linesIn(book: Book, lines: readonly (readonly [string, string, string])[]): Line[] {
  return lines.map(([key, name, says]) => {
    const value = book[key];
    if (typeof value !== "object" || value === null)
      return { name, says, hits: Number(value ?? 0), reasons: [] };
    const reasons = Object.entries(value as Record<string, number>).map(([reason, hits]) => ({
      name: reason,
      hits,
    }));
    reasons.sort((a, b) => b.hits - a.hits || a.name.localeCompare(b.name));
    return { name, says, hits: reasons.reduce((sum, one) => sum + one.hits, 0), reasons };
  });
}

// Lines that this page does not know would be missing from the sum; a newer server may have some.
export function unknownLines(book: Book): string[] {
  const known = [
    ...LINES.map(([key]) => key),
    "brand",
    "accepted",
    "rawSince",
    "uniques",
    "inFlightIsEstimate",
  ];
  return Object.keys(book).filter((key) => !known.includes(key));
}

export function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.hits, 0);
}
