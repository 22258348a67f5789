// Lines to copy. Names of brands are strangers' words, so they are quoted for where the line goes. Pure.
import type { Item } from "./shapes.ts";

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// A brand without keys is named; one that has keys is known by its public one.
export function snippetOf(origin: string, brand: string, key = ""): string {
  const whose = key ? `data-key="${attribute(key)}"` : `data-brand="${attribute(brand)}"`;
  return `<script async src="${origin}/footfall.js" ${whose}></script>`;
}

export const BOX_LENGTHS = [3, 5, 7, 10, 20];

// The most-read box in room of its own, so that nothing moves when it comes: 2em for its heading and 3.8em for each title.
export function boxOf(origin: string, brand: string, period: string, limit: number): string {
  const room = Number((2 + 3.8 * limit).toFixed(1));
  const asked = `data-brand="${attribute(brand)}" data-period="${attribute(period)}" data-limit="${limit}"`;
  return `<div style="min-height:${room}em"><script async src="${origin}/widget.js" ${asked}></script></div>`;
}

export const ASKED_PER_SHOWN = 2; // The box asks for twice as many as it shows, and leaves out what has no title.

// What the box leaves out of those that it asks for, and what is left; nothing where it is full of titles.
export function boxSaid(items: readonly Item[] | undefined, limit: number): string {
  if (!items) return "";
  if (!items.length) return "Nothing was read in this period yet, so the box is empty.";
  const first = items.slice(0, limit);
  const without = first.filter((item) => !item.title).length;
  if (!without) return "";
  const shown = Math.min(limit, items.filter((item) => item.title).length);
  const left = shown ? `shows ${shown}` : "is empty";
  const have = without === 1 ? "has no title and is" : "have no title and are";
  return `${without} of the ${first.length} most read ${have} left out, so the box ${left}.`;
}

// A program's own name would be screened as a program's, and the hit would be in no list.
const READER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";

export function commandOf(origin: string, brand: string, key = ""): string {
  const hit = {
    ...(key ? {} : { brand }),
    assetId: "hello-1",
    sectionId: "news",
    resourceType: "article",
    paidType: "free",
  };
  const where = key ? quoted(`${origin}/v1/hits?key=${key}`) : `${origin}/v1/hits`;
  return `curl -A ${quoted(READER)} -d ${quoted(JSON.stringify(hit))} ${where}`;
}
