// The pages by their addresses. A page that is not here does not exist, and no link leads to it.

export interface PageOf {
  path: string;
  name: string;
  inMenu: boolean;
}

export const PAGES: readonly PageOf[] = [
  { path: "/", name: "Now", inMenu: true },
  { path: "/most-read", name: "Most read", inMenu: true },
  { path: "/trending", name: "Trending", inMenu: true },
  { path: "/sections", name: "Sections and types", inMenu: true },
  { path: "/audience", name: "Audience", inMenu: true },
  { path: "/watching", name: "Watching", inMenu: true },
  { path: "/catalogue", name: "Metrics", inMenu: true },
  { path: "/archive", name: "Archive", inMenu: true },
  { path: "/screening", name: "Screening", inMenu: true },
  { path: "/ledger", name: "Ledger", inMenu: true },
  { path: "/operations", name: "Operations", inMenu: true },
  { path: "/settings", name: "Settings", inMenu: true },
  { path: "/assets/", name: "Asset", inMenu: false },
  { path: "/catalogue/", name: "Metric", inMenu: false },
  { path: "/migration", name: "Migration", inMenu: false },
  { path: "/archive/page", name: "Captures of a page", inMenu: false },
  { path: "/archive/capture/", name: "Capture", inMenu: false },
  { path: "/archive/compare", name: "Two captures", inMenu: false },
  { path: "/archive/watches", name: "Watch list", inMenu: false },
  { path: "/account", name: "Your account", inMenu: false },
  { path: "/sign-in", name: "Sign in", inMenu: false },
  { path: "/setup", name: "Set up", inMenu: false },
  { path: "/invitation", name: "Invitation", inMenu: false },
  { path: "/reset", name: "New password", inMenu: false },
];

// What has one page for each name: an address goes on behind the slash.
export const ASSETS = "/assets/";
export const CATALOGUE = "/catalogue/";
export const CAPTURES = "/archive/capture/";

export const ARCHIVE = "/archive";

export function pageOf(path: string): PageOf | undefined {
  return PAGES.find((page) =>
    [ASSETS, CATALOGUE, CAPTURES].includes(page.path) ? path.startsWith(page.path) : page.path === path,
  );
}

// Where a change of the brand leads: another brand has other assets, other metrics and other captures.
export function pageOfBrand(path: string): string {
  if (path.startsWith(ASSETS)) return "/";
  if (path.startsWith(`${ARCHIVE}/`)) return path === `${ARCHIVE}/watches` ? path : ARCHIVE;
  return path.startsWith(CATALOGUE) ? "/catalogue" : path;
}

// Pages about somebody, not about a brand.
export function isOfPeople(path: string): boolean {
  return ["/sign-in", "/setup", "/invitation", "/reset"].includes(path);
}
