// Where each metric of a lineage stands in its picture: sources at the left, users at the right, each drawn once. Pure.
import type { Lineage, Linked } from "./lineage.ts";
import type { Row } from "./metrics.ts";

export interface Spot {
  row: Row;
  column: number;
  place: number; // in its column, in rows from the top; columns stand in the middle of the picture
  isSelf: boolean;
}

export interface Picture {
  columns: number;
  rows: number;
  spots: Spot[];
  edges: { from: Spot; to: Spot }[];
}

const SPOTS_MAX = 80; // More boxes than these are no picture any more; lists tell them better.
const SWEEPS = 4;

// Null when there is nothing to draw, or too much of it.
export function pictureOf(lineage: Lineage): Picture | null {
  const others = [...lineage.needs, ...lineage.usedBy];
  if (!others.length || others.length >= SPOTS_MAX) return null;
  const parts = new Map<string, readonly string[]>(others.map((one) => [one.name, one.consumes]));
  parts.set(
    lineage.name,
    lineage.needs.filter((one) => one.depth === 1).map((one) => one.name),
  );
  const users = new Map<string, string[]>();
  for (const [name, consumes] of parts)
    for (const one of consumes) users.set(one, [...(users.get(one) ?? []), name]);
  const back = levels(lineage.name, lineage.needs, (name) => users.get(name) ?? []);
  const ahead = levels(lineage.name, lineage.usedBy, (name) => parts.get(name) ?? []);
  const self = Math.max(0, ...back.values());
  const stand = (row: Row, column: number): Spot => ({ row, column, place: 0, isSelf: row === lineage });
  const spots = [
    stand(lineage, self),
    ...lineage.needs.map((row) => stand(row, self - (back.get(row.name) ?? 1))),
    ...lineage.usedBy.map((row) => stand(row, self + (ahead.get(row.name) ?? 1))),
  ];
  return placed(spots, parts);
}

// How many steps the longest way from the metric takes, so that every line goes from left to right.
function levels(
  self: string,
  rows: readonly Linked[],
  nearer: (name: string) => readonly string[],
): Map<string, number> {
  const among = new Set(rows.map((one) => one.name));
  const known = new Map<string, number>();
  const level = (name: string): number => {
    if (name === self) return 0;
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, 1);
    const steps = nearer(name).filter((one) => one === self || among.has(one));
    known.set(name, 1 + Math.max(0, ...steps.map(level)));
    return known.get(name) ?? 1;
  };
  for (const { name } of rows) level(name);
  return known;
}

function placed(spots: Spot[], parts: ReadonlyMap<string, readonly string[]>): Picture {
  const byName = new Map(spots.map((spot) => [spot.row.name, spot]));
  const edges = spots.flatMap((to) =>
    (parts.get(to.row.name) ?? []).flatMap((name) => {
      const from = byName.get(name);
      return from ? [{ from, to }] : [];
    }),
  );
  const columns = 1 + Math.max(...spots.map((spot) => spot.column));
  const inColumns = Array.from({ length: columns }, (_, column) =>
    spots.filter((spot) => spot.column === column),
  );
  const rows = Math.max(...inColumns.map((column) => column.length));
  const settle = (column: Spot[]) => {
    for (const [at, spot] of column.entries()) spot.place = at + (rows - column.length) / 2;
  };
  inColumns.forEach(settle);
  const around = new Map(spots.map((spot) => [spot, [] as Spot[]]));
  for (const { from, to } of edges) {
    around.get(from)?.push(to);
    around.get(to)?.push(from);
  }
  // Each stands at the height of those that it is tied to, as far as they let it: fewer lines cross.
  const height = (spot: Spot) => {
    const ties = around.get(spot) ?? [];
    return ties.length ? ties.reduce((sum, one) => sum + one.place, 0) / ties.length : spot.place;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 ? inColumns.toReversed() : inColumns) {
      const wanted = new Map(column.map((spot) => [spot, height(spot)]));
      column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
      settle(column);
    }
  }
  return { columns, rows, spots: inColumns.flat(), edges };
}
