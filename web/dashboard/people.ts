// Where to go after signing in, only to a page of ours, and the secret of a link. Pure.
import { isOfPeople, pageOf } from "./routes.ts";

export function ownPath(next: string | null): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  const path = next.split(/[?#]/)[0] ?? "/";
  return pageOf(path) && !isOfPeople(path) ? next : "/";
}

// A link's secret; null when a mail program or a hand has cut the link off in the middle of a character.
export function tokenIn(hash: string): string | null {
  try {
    return decodeURIComponent(hash.replace(/^#/, ""));
  } catch {
    return null;
  }
}
