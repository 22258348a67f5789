// Where the reader is. All that a page shows is in its address, so that an address can be sent to a colleague.
import { Cell, useCell } from "./cell.ts";
import { ASSETS, CAPTURES, CATALOGUE } from "./routes.ts";

export interface Place {
  path: string;
  search: string;
}

export const place = new Cell<Place>(here());

function here(): Place {
  if (typeof location === "undefined") return { path: "/", search: "" };
  return { path: location.pathname, search: location.search };
}

export function followHistory(): void {
  addEventListener("popstate", () => place.set(here()));
}

export function go(target: string, { replaces = false }: { replaces?: boolean } = {}): void {
  if (target === place.value.path + place.value.search) return;
  history[replaces ? "replaceState" : "pushState"](null, "", target);
  place.set(here());
  if (!replaces) scrollTo(0, 0);
}

export function useParameters(): URLSearchParams {
  return new URLSearchParams(useCell(place).search);
}

// An address of ours: the brand stays, whatever page it is.
export function addressOf(path: string, brand: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  if (brand) query.set("brand", brand);
  for (const [name, value] of Object.entries(more)) if (value) query.set(name, value);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

export function assetAddress(asset: string, brand: string): string {
  return addressOf(ASSETS + encodeURIComponent(asset), brand);
}

// The same page with some parameters changed; an empty value takes one away.
export function changed(
  parameters: URLSearchParams,
  changes: Record<string, string | readonly string[]>,
): string {
  const next = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const one of typeof value === "string" ? [value] : value) if (one) next.append(name, one);
  }
  return next.toString();
}

export function assetOf(path: string): string {
  return nameIn(path, ASSETS);
}

export function metricAddress(metric: string, brand: string): string {
  return addressOf(CATALOGUE + encodeURIComponent(metric), brand);
}

export function metricOf(path: string): string {
  return nameIn(path, CATALOGUE);
}

export function captureIdOf(path: string): string {
  return nameIn(path, CAPTURES);
}

function nameIn(path: string, page: string): string {
  try {
    return decodeURIComponent(path.slice(page.length));
  } catch {
    return path.slice(page.length);
  }
}

// Only an address that leads to a page is followed, whatever a stranger calls one.
export function safeAddress(address: string | null | undefined): string | undefined {
  return address && /^https?:\/\//i.test(address) ? address : undefined;
}

// A click that the browser should handle itself: another tab, another window, a download.
export function isOrdinaryClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
