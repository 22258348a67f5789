// Which items somebody means by some words: every word is in the title or the id. Pure.
import type { Item } from "./shapes.ts";

const FOUND_MAX = 8;

export function found(items: readonly Item[], words: string): Item[] {
  const parts = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!parts.length) return [];
  return items
    .filter((item) => {
      const text = `${item.title ?? ""} ${item.assetId}`.toLowerCase();
      return parts.every((part) => text.includes(part));
    })
    .slice(0, FOUND_MAX);
}
