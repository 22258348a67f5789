// What was watched: minutes as people say them, how far an asset is watched, money of closed periods. Pure.
import { addressWith } from "./api.ts";
import { dayOf } from "./filters.ts";
import type { Label, Point, Series } from "./shapes.ts";
import { counted, percent, whole } from "./words.ts";

export interface Watched {
  rank: number | null;
  assetId: string; // or the series, where series are asked for
  title?: string | null;
  sectionId?: Label;
  minutes: number;
}

export interface WatchedList {
  from: string;
  to: string;
  exact: boolean;
  items: Watched[];
}

export interface WatchedShares {
  from: string;
  to: string;
  minutes: number;
  items: { rank: number; sectionId?: Label; minutes: number; share: number }[];
}

export interface WatchedSeries extends Omit<Series, "hits" | "points"> {
  minutes?: number;
  points: (Omit<Point, "hits"> & { minutes?: number })[];
}

export interface Viewers {
  at: string;
  viewers: number;
  assets: { assetId: string; viewers: number }[];
}

export interface Curve {
  assetId: string;
  from: string;
  to: string;
  minutes: number;
  playbacks: number;
  seen: number[]; // of each hundredth, how many saw it
  finished: number;
}

export interface Closed {
  name: string;
  from: string;
  to: string;
  currency: string;
  digits: number;
  amount: number; // in the smallest unit of its money
  undivided: number;
  milliseconds: number;
  closedAt: string;
}

const FEW = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const HOURS_FROM = 6_000; // minutes, from where on hours are easier to read

export function minutesSaid(minutes: number): string {
  if (minutes < 100) return `${FEW.format(minutes)} min`;
  return minutes < HOURS_FROM ? `${whole(Math.round(minutes))} min` : `${whole(Math.round(minutes / 60))} h`;
}

// The same points as counts, which charts draw and put into words.
export function asCounts(points: WatchedSeries["points"]): Point[] {
  return points.map(({ minutes = 0, ...point }) => ({ ...point, hits: minutes }));
}

// Which part of all viewings saw each hundredth; nothing where there was none.
export function sharesSeen({ seen, playbacks }: Pick<Curve, "seen" | "playbacks">): number[] {
  return playbacks ? seen.map((one) => one / playbacks) : [];
}

export interface Tenth {
  name: string;
  share: number; // of its hundredths, on average
}

export function tenthsOf(shares: readonly number[]): Tenth[] {
  const size = shares.length / 10;
  if (!size) return [];
  return Array.from({ length: 10 }, (_, at) => {
    const some = shares.slice(Math.round(at * size), Math.round((at + 1) * size));
    const share = some.reduce((sum, one) => sum + one, 0) / Math.max(1, some.length);
    return { name: `${at * 10} to ${at * 10 + 10}%`, share };
  });
}

// The curve from the left edge to the right one; its top is everybody, so that two curves can be compared.
export function curvePath(shares: readonly number[], width: number, height: number): string {
  if (shares.length < 2) return "";
  const step = width / (shares.length - 1);
  const points = shares.map(
    (share, at) => `${(at * step).toFixed(1)} ${(height - 1 - share * (height - 2)).toFixed(1)}`,
  );
  return `M${points.join("L")}`;
}

export function curveWords(curve: Pick<Curve, "seen" | "playbacks">): string {
  const shares = sharesSeen(curve);
  const [first, middle, last] = [shares[0], shares[Math.floor(shares.length / 2)], shares.at(-1)];
  if (first === undefined || middle === undefined || last === undefined) return "nobody has watched it yet";
  const of = counted(curve.playbacks, "viewing that is over", "viewings that are over");
  return `of ${of}, ${percent(first)} saw the beginning, ${percent(middle)} the middle and ${percent(last)} the end`;
}

// An amount in its money; made of whole numbers, since a fraction of a cent is nobody's.
export function moneySaid(amount: number, digits: number, currency: string): string {
  const unit = 10 ** digits;
  const size = Math.abs(amount);
  const rest = digits ? `.${String(size % unit).padStart(digits, "0")}` : "";
  return `${amount < 0 ? "−" : ""}${whole(Math.floor(size / unit))}${rest} ${currency}`;
}

// From the first to the last day; an answer names the moment after it.
export function daysSaid(from: string, to: string, zone: string): string {
  const last = dayOf(new Date(Date.parse(to) - 1).toISOString(), zone);
  const first = dayOf(from, zone);
  return first === last ? first : `${first} to ${last}`;
}

export function statementAddress(brand: string, name: string, format: "csv" | "html"): string {
  return addressWith(`/v1/audience/earnings/${encodeURIComponent(name)}`, { brand, format });
}
