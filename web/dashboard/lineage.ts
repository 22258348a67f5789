// What a metric is computed from and who is computed from it, as trees that are drawn. Pure.
import type { Row } from "./metrics.ts";

export interface Linked extends Row {
  depth: number;
  consumes: string[];
}

export interface Lineage extends Row {
  dimensions: string[];
  needs: Linked[];
  usedBy: Linked[];
  isCut: boolean;
}

export interface Branch {
  row: Linked;
  branches: Branch[];
  isAgain: boolean; // What is behind it has been drawn already.
}

export function needsOf({ needs }: Pick<Lineage, "needs">): Branch[] {
  const byName = new Map(needs.map((one) => [one.name, one]));
  const next = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []);
  const first = needs.filter((one) => one.depth === 1);
  return grown(first, (row) => next(row.consumes));
}

export function usersOf({ name, usedBy }: Pick<Lineage, "name" | "usedBy">): Branch[] {
  const of = (needed: string) => usedBy.filter((one) => one.consumes.includes(needed));
  return grown(of(name), (row) => of(row.name));
}

// Each metric is opened once: drawn again and again, a few that share their parts would fill the page.
function grown(first: readonly Linked[], next: (row: Linked) => Linked[]): Branch[] {
  const opened = new Set<string>();
  const grow = (row: Linked): Branch => {
    const behind = next(row);
    if (opened.has(row.name)) return { row, branches: [], isAgain: behind.length > 0 };
    opened.add(row.name);
    return { row, branches: behind.map(grow), isAgain: false };
  };
  return first.map(grow);
}
