// What the public API answers, as far as the dashboard reads it. docs/reference/routes.md has all of it.

export type Label = string | number | null;

export interface Facts {
  brands: BrandFacts[];
  periods: string[];
  live: boolean;
  verdicts: boolean; // Somebody judges, so that there is a queue.
  archive: boolean; // Pages are kept here.
  people: boolean; // There are accounts, so that somebody may be signed in.
  version: string;
}

export interface BrandFacts {
  brand: string;
  title: string;
  zone: string;
  periods?: string[];
  role?: string;
  isOpen?: boolean; // It is named by the settings and not stored, so that nothing of it can be set here.
}

export interface Item {
  rank: number | null;
  change?: number | null;
  assetId: string;
  hits: number;
  hitsAtMost?: number | null;
  uniques?: number;
  uniquesAtLeast?: number;
  uniquesAtMost?: number | null;
  sectionId: Label;
  resourceType: string | null;
  paidType: string | null;
  title?: string | null;
  address?: string | null;
  published?: string | null;
  pinned?: boolean;
}

export interface List {
  brand: string;
  period?: string;
  from: string;
  to: string;
  exact: boolean;
  sort?: string;
  uniquesAre?: string;
  keptSince?: string;
  hidden?: unknown;
  items: Item[];
}

export interface Rise extends Item {
  rise: number;
  hitsBefore?: number;
  uniquesBefore?: number;
  [more: string]: unknown;
}

export interface Rises extends List {
  basis: string;
  hits: number;
  uniques?: number;
  items: Rise[];
}

export interface Point {
  from: string;
  hits?: number;
  hitsAtMost?: number | null;
  uniques?: number;
  uniquesAtLeast?: number;
  uniquesAtMost?: number | null;
  open?: boolean;
}

export interface Before {
  from: string;
  to: string;
  hits?: number;
  uniques?: number;
  compared?: { points: number; hits?: number; hitsBefore?: number; change: number | null };
  points: Point[];
}

export interface Series {
  brand: string;
  grain: string;
  zone: string;
  from: string;
  to: string;
  exact?: boolean;
  hits?: number;
  uniques?: number;
  uniquesAtLeast?: number;
  uniquesAtMost?: number | null;
  uniquesAre?: string;
  points: Point[];
  lastWeek?: Before;
  previous?: Before;
}

export interface Share {
  rank: number;
  change?: number | null;
  hits: number;
  hitsAtMost?: number | null;
  hitsBefore?: number | null;
  share: number;
  sectionId?: Label;
  resourceType?: string | null;
}

export interface Shares {
  from: string;
  to: string;
  keptSince?: string;
  exact: boolean;
  hits: number;
  hitsBefore: number | null;
  items: Share[];
}

export interface Now {
  list: List;
  minutes: Series;
  visitors: Series;
  lastHit: string | null;
}

export type Ledger = { brand: string; accepted: number; rawSince: string | null } & Record<string, unknown>;

export interface Screening {
  from: string;
  to: string;
  exact: boolean;
  suspectedAreShown: boolean;
  hits: number;
  labels: { label: string; hits: number; share: number }[];
  reasons: Record<string, number>;
  reasonsSince?: string;
  reasonsUntil?: string;
  refused: Record<string, number>;
  withoutRow?: number;
  waiting: number;
  items: (Item & { suspected: number; suspectedAtMost?: number; persons: number; share: number })[];
}

export interface Referrers {
  from: string;
  to: string;
  hits: number;
  sources: { source: string; hits: number; share: number }[];
  other: number;
  since: string | null;
  until: string | null;
  exact: boolean;
}

export interface Verdict {
  id: string;
  kind: string;
  subject: string;
  from: string;
  to: string;
  state: string;
  label: string;
  cause: string;
  score: number;
  words: string;
  narrowedTo: { agents: number; visitors: number } | null;
  explanation: Note[];
  foundAt: string;
  changedAt: string;
  by: string;
}

export interface Note {
  feature: string;
  words: string;
  value: number;
  unit: string;
  attribution: number;
  direction: string;
  strength: number;
}

export type Decision = "confirm" | "release";

export interface Decided {
  id: string;
  problem?: string;
  recount?: { from?: string; to?: string; note?: string } | null;
}

export interface Verdicts {
  waiting: number;
  items: Verdict[];
  after?: string;
}

export interface Person {
  id: string;
  email: string;
  name: string;
  isOwner?: boolean;
}

export interface Session {
  person: Person | null;
  csrf: string | null;
  brands: BrandFacts[];
  register: string;
  needsSetup: boolean;
}

export interface OwnPeriod {
  span: string;
  grain: string;
  cache: string;
}

export interface BrandDocument {
  brand: string;
  title: string;
  zone: string;
  origins: string[];
  isPublic: boolean;
  unlabelled: string;
  screening: string;
  periods: Record<string, OwnPeriod>;
}
