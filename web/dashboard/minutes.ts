// The minutes of the Now page: an hour that was asked for once, kept up with the newest minutes as they are told.
import type { Point } from "./shapes.ts";

export function merged(known: readonly Point[], newest: readonly Point[], most: number): Point[] {
  const byStart = new Map(known.map((point) => [point.from, { ...point, open: false }]));
  for (const point of newest)
    byStart.set(point.from, { ...byStart.get(point.from), ...point, open: point.open ?? false });
  return [...byStart.values()].sort((a, b) => Date.parse(a.from) - Date.parse(b.from)).slice(-most);
}

// The last minute that is over: the open one would seem to fall at its start.
export function lastWhole(points: readonly Point[]): Point | undefined {
  return points.filter((point) => !point.open).at(-1);
}

export function totalOf(points: readonly Point[], of: "hits" | "uniques"): number {
  return points.reduce((sum, point) => sum + (point[of] ?? 0), 0);
}

// What a line shows: the open window would look like a fall, so it waits until it is over.
export function drawn(points: readonly Point[], of: "hits" | "uniques"): (number | null)[] {
  return points.map((point) => (point.open ? null : (point[of] ?? null)));
}

// A chart's story in one sentence, for whoever does not see it.
export function story(
  points: readonly Point[],
  of: "hits" | "uniques",
  clock: (text: string) => string,
): string {
  const filled = points.filter((point) => !point.open);
  if (!filled.length) return "nothing yet";
  const values = filled.map((point) => point[of] ?? 0);
  const highest = values.indexOf(Math.max(...values));
  const most = filled[highest];
  const mean = Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
  return `on average ${mean}, most ${values[highest]} at ${most ? clock(most.from) : ""}, last ${values.at(-1)}`;
}
