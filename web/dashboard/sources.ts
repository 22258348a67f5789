// Sources of readers as an editor reads them, and the span that is asked for. Pure.

const HOUR_MS = 3_600_000;
const NAMES: Record<string, string> = {
  direct: "Direct (no referrer)",
  internal: "Our own pages",
  unknown: "Unknown",
};

// A host is shown as it is: text, never an address to follow.
export function sourceName(source: string): string {
  return Object.hasOwn(NAMES, source) ? (NAMES[source] ?? source) : source;
}

// Where a span of so many hours begins that ends with this one: the same text all hour, so that it is asked once.
export function hoursBack(nowMs: number, hours: number): string {
  return new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS).toISOString();
}
