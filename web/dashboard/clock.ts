// The server's clock, as its answers tell it, and when the last hit was by that clock.
import type { Point } from "./shapes.ts";

const NOISE_MS = 1_500; // The header has whole seconds, and an answer takes its time.

// How far ahead the server's clock is, by an answer's own date; what was known stays where it is as good.
export function aheadBy(date: string | null, age: string | null, hereMs: number, known: number): number {
  const made = Date.parse(date ?? "");
  if (Number.isNaN(made)) return known;
  // An answer from a cache tells when it was made, and how long ago that was.
  const found = made + 500 + (Number(age) || 0) * 1_000 - hereMs;
  return Math.abs(found - known) > NOISE_MS ? found : known;
}

let aheadMs = 0;

export function hearClock(headers: Headers): void {
  aheadMs = aheadBy(headers.get("date"), headers.get("age"), Date.now(), aheadMs);
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}

// The start of the newest minute that has hits: the last one cannot be older.
export function newestMinute(points: readonly Point[]): string | null {
  return points.findLast((point) => point.hits)?.from ?? null;
}

// Where nobody tells when the last hit was, counts that grow between two questions do: it is no older than the first of them.
export class LastHit {
  private seen: { from: string; hits: number; askedMs: number } | null = null;
  private lastMs: number | null = null;

  take(points: readonly Point[], nowMs: number): string | null {
    const newest = points.findLast((point) => point.hits);
    if (newest) {
      const start = Date.parse(newest.from);
      const hits = newest.hits ?? 0;
      const isSame = this.seen?.from === newest.from;
      if (!this.seen) this.lastMs = start;
      else if (!isSame || hits > this.seen.hits) this.lastMs = Math.max(start, this.seen.askedMs);
      this.seen = { from: newest.from, hits, askedMs: nowMs };
    } else if (this.seen) this.seen.askedMs = nowMs;
    else this.seen = { from: "", hits: 0, askedMs: nowMs };
    return this.lastMs === null ? null : new Date(this.lastMs).toISOString();
  }
}
