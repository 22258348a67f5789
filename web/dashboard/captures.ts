// The archive in words: requests, captures, and what became of them. Pure. What a captured page says is a stranger's.
import { addressOf } from "./address.ts";
import { byWords } from "./deeds.ts";
import { ARCHIVE, CAPTURES } from "./routes.ts";
import { bytes, counted, whole } from "./words.ts";

export interface Wish {
  id: string;
  url: string;
  typed: string;
  state: "pending" | "running" | "done" | "failed";
  attempts: number;
  reason: string | null;
  says: string;
  capture: string | null;
  at: string;
  by: string;
}

export interface Line {
  id: string;
  url: string;
  finalUrl: string;
  title: string;
  at: string;
  status: number;
  heightPx: number;
  sameAs: string | null;
  isShared: boolean;
  isHeld: boolean;
  by: string;
}

export interface Tile {
  heightPx: number;
  url: string;
}

export interface Capture extends Line {
  tiles: Tile[];
  widthPx: number;
  thumbnail: string;
  text: string;
  wacz: string;
  replay: string | null;
  keywords: string[];
  language: string;
  tookMs: number;
  timings: Record<string, number>;
  pendingImages: number;
  stop: string;
  bytes: number;
  outsideUrl: string | null;
  canonicalUrl: string | null;
  heldBy: string | null;
  permanent: string;
  pixelsSha256: string;
}

export interface Shelf<T = Line> {
  captures: T[];
  after?: string | null;
}

export interface Found extends Line {
  excerpt: [string, boolean][];
}

export interface Search {
  kind: "full-text" | "words";
  results: Found[];
  after?: string | null;
}

// What stays of a capture that was removed, as far as the refusal tells.
export interface Tombstone {
  at?: string;
  removedAt?: string;
  removedBy?: string;
  why?: string;
}

const STATES: Record<Wish["state"], string> = {
  pending: "waits",
  running: "being archived",
  done: "done",
  failed: "failed",
};

export function stateWords(state: string): string {
  return STATES[state as Wish["state"]] ?? state;
}

export function isOpen({ state }: Pick<Wish, "state">): boolean {
  return state === "pending" || state === "running";
}

const NEWS_MS = 86_400_000;

// What somebody still waits for, or asked for today; all else is in the library by now, or was given up.
export function isNews(wish: Wish, nowMs: number): boolean {
  return isOpen(wish) || nowMs - Date.parse(wish.at) < NEWS_MS;
}

// What a request says beside its state: why it failed or waits, and how often it was tried.
export function wishWords({ state, says, attempts }: Wish): string {
  const tries = attempts > 1 ? `tried ${counted(attempts, "time")}` : "";
  if (state === "done") return "";
  return [says, tries].filter(Boolean).join(" · ");
}

// Requests that move are looked at often, others now and then.
export function everyMs(wishes: readonly Wish[] | undefined): number {
  return wishes?.some(isOpen) ? 1_500 : 10_000;
}

export function titleOf({ title, url }: Pick<Line, "title" | "url">): string {
  return title.trim() || url;
}

// An address without what all of them have, cut where nobody reads on.
export function shortUrl(url: string, most = 90): string {
  const short = url.replace(/^https?:\/\//i, "").replace(/\/$/, "");
  return short.length > most ? `${short.slice(0, most - 1)}…` : short;
}

export function isAddress(words: string): boolean {
  return /^(https?:\/\/\S+|[^\s/.]+(\.[^\s/.]+)+(:\d+)?([/?#]\S*)?|localhost(:\d+)?(\/\S*)?)$/i.test(
    words.trim(),
  );
}

export function captureAddress(id: string, brand: string, more: Record<string, string> = {}): string {
  return addressOf(CAPTURES + encodeURIComponent(id), brand, more);
}

export function pageAddress(url: string, brand: string, more: Record<string, string> = {}): string {
  return addressOf(`${ARCHIVE}/page`, brand, { url, ...more });
}

// The older is on the left, whichever was chosen first.
export function compareAddress(one: Line, other: Line, brand: string): string {
  const [a, b] = one.at <= other.at ? [one, other] : [other, one];
  return addressOf(`${ARCHIVE}/compare`, brand, { a: a.id, b: b.id });
}

export function fileOf(id: string, file: string, brand: string): string {
  return addressOf(`/v1/archive/captures/${encodeURIComponent(id)}/${file}`, brand);
}

// Only what is ours is loaded into the page.
export function ownAddress(address: string): string | undefined {
  return /^\/(?![/\\])/.test(address) ? address : undefined;
}

const STOPS: Record<string, string> = {
  bottom: "to its end",
  height: "until it was too tall to go on",
  time: "until its time was over",
};

export function stopWords(stop: string): string {
  return STOPS[stop] ?? stop.replaceAll(/[-_]/g, " ");
}

// What is known of a capture, in the order in which somebody asks.
export function detailsOf(one: Capture, self = ""): [string, string][] {
  const told: [string, string][] = [
    ["Answer", `HTTP ${one.status}`],
    ["Asked for", one.url],
    ["Ended at", one.finalUrl === one.url ? "" : one.finalUrl],
    ["Calls itself", one.canonicalUrl && one.canonicalUrl !== one.finalUrl ? one.canonicalUrl : ""],
    ["Moment", microseconds(one.at)],
    ["Id", one.id],
    ["By", askerWords(one.by, self)],
    ["Size", `${whole(one.widthPx)} × ${whole(one.heightPx)} px, ${bytes(one.bytes)}`],
    ["Scrolled", stopWords(one.stop)],
    ["Images missing", one.pendingImages ? whole(one.pendingImages) : "none"],
    ["Took", `${(one.tookMs / 1_000).toFixed(1)} s`],
    ["Of that", timingWords(one.timings)],
    ["Language", one.language],
    ["Hash of the picture", one.pixelsSha256],
    ["Legal hold", one.isHeld ? `by ${byWords(one.heldBy ?? "somebody")}` : ""],
  ];
  return told.filter(([, value]) => value !== "");
}

// Who asked for it, as far as an id tells.
export function askerWords(by: string, self: string): string {
  if (self && by === self) return "you";
  const [kind, id] = by.split(":");
  if (kind === "watch") return "the watch list";
  return kind === "key" ? `Key ${id}` : by;
}

function timingWords(timings: Readonly<Record<string, number>>): string {
  return Object.entries(timings)
    .map(([name, ms]) => `${name.replaceAll(/[-_]/g, " ")} ${whole(ms)} ms`)
    .join(", ");
}

// To the microsecond, as it is kept: a browser's own dates end at milliseconds.
export function microseconds(at: string): string {
  return `${at.replace("T", " ").replace(/Z$/, "")} UTC`;
}

export function tombstoneIn(more: Readonly<Record<string, unknown>>): Tombstone {
  const told = (more.tombstone ?? more) as Tombstone;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    at: text(told.at),
    removedAt: text(told.removedAt),
    removedBy: told.removedBy && byWords(text(told.removedBy) ?? ""),
    why: text(told.why),
  };
}
