// The ledger's lines in their order, and whether they add up. Pure.
import type { Ledger } from "./shapes.ts";

export interface Line {
  name: string;
  says: string;
  hits: number;
  reasons: { name: string; hits: number }[];
}

const LINES: readonly (readonly [string, string, string])[] = [
  ["counted", "Counted", "in the lists"],
  ["duplicate", "Duplicate", "sent before, by id or Idempotency-Key"],
  ["screened", "Screened", "kept out by a rule"],
  ["late", "Late", "too old when they arrived"],
  ["future", "Future", "ahead of the clock"],
  ["unlabelled", "Unlabelled", "waiting for labels"],
  ["dead", "Dead", "could not be read or counted"],
  ["inFlight", "In flight", "in the stream and not looked at yet"],
];

export function linesOf(book: Ledger): Line[] {
  return LINES.map(([key, name, says]) => {
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

export function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.hits, 0);
}
