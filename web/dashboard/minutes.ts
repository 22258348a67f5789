// The minutes of the Now page: an hour that was asked for once, kept up with the newest minutes as they are told.
import type { Point, Series } from "./shapes.ts";
import { change } from "./words.ts";

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

// What a line shows: the open window would look like a fall, so it waits until it is over, or is drawn apart.
export function drawn(points: readonly Point[], of: "hits" | "uniques"): (number | null)[] {
  return points.map((point) => (point.open ? null : (point[of] ?? null)));
}

// The open window, with the whole one before it from which its line comes; nothing where no window is open.
export function soFar(points: readonly Point[], of: "hits" | "uniques"): (number | null)[] {
  const open = points.findIndex((point) => point.open);
  return points.map((point, place) =>
    open >= 0 && (place === open || place === open - 1) ? (point[of] ?? null) : null,
  );
}

// Where that line ends: in the open window, and nowhere where none is.
export function openEnd(values: readonly (number | null | undefined)[]): number[] {
  const end = values.findLastIndex((value) => value !== null && value !== undefined);
  return end < 0 ? [] : [end];
}

// What a small line shows: the open window only where it is above the last whole one, so that it cannot look like a fall.
export function sparkValues(points: readonly Point[]): number[] {
  const values = points.filter((point) => !point.open).map((point) => point.hits ?? 0);
  const open = points.find((point) => point.open)?.hits ?? 0;
  return open > (values.at(-1) ?? 0) ? [...values, open] : values;
}

// Whether all hits are of the open hour and the one before it: their story is one of minutes.
export function isYoung({ grain, points }: Series): boolean {
  const first = points.findIndex((point) => point.hits);
  return grain === "hour" && first >= 0 && first >= points.length - 2;
}

// How a series stands beside the same windows last week; only whole windows are compared.
export function besideLastWeek(series: Series): string {
  const both = series.lastWeek?.compared;
  if (!both) return "";
  if (both.hits === 0 && !both.hitsBefore && series.hits) return `no whole ${series.grain} to compare yet`;
  return both.hitsBefore === 0 && both.hits
    ? "nothing to compare with"
    : change(both.hits ?? 0, both.hitsBefore);
}

// A chart's story in one sentence, for whoever does not see it.
export function story(
  points: readonly Point[],
  of: "hits" | "uniques",
  clock: (text: string) => string,
): string {
  const filled = points.filter((point) => !point.open);
  const open = points.find((point) => point.open)?.[of];
  const still = open ? `${open} in the open window` : "";
  if (!filled.length) return still || "nothing yet";
  const values = filled.map((point) => point[of] ?? 0);
  const highest = values.indexOf(Math.max(...values));
  const most = filled[highest];
  const mean = Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
  const said = `on average ${mean}, most ${values[highest]} at ${most ? clock(most.from) : ""}, last ${values.at(-1)}`;
  return still ? `${said}, ${still}` : said;
}
