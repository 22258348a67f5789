// Where to go after signing in: only to a page of ours, whatever an address says. Pure.
import { isOfPeople, pageOf } from "./routes.ts";

export function ownPath(next: string | null): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  const path = next.split(/[?#]/)[0] ?? "/";
  return pageOf(path) && !isOfPeople(path) ? next : "/";
}
