// What to try, from a form's fields to the question, and what came of it. Pure.

export interface InUse {
  mode: string;
  rules: Limits & { paths: string[]; isOn: boolean };
}

export interface Limits {
  repeatsMax: number;
  repeatsMinutes: number;
  visitorPerMinute: number;
}

export interface Compared {
  before: number;
  after: number;
}

export interface Trial {
  from: string;
  to: string;
  mode: string;
  complete: boolean;
  arrivedUntil?: string;
  hits: number;
  changed: number;
  withoutVisitor: number;
  shown: Compared;
  labels: (Compared & { label: string })[];
  reasons: (Compared & { reason: string; label: string })[];
  examples: { assetId: string; hits: number }[];
  notTried: { rule: string; entries: number; why: string }[];
}

const LIMITS = ["repeatsMax", "repeatsMinutes", "visitorPerMinute"] as const;

// A field that is left empty stays as it is now.
export function questionOf(values: Record<string, string>, now: Date): Record<string, unknown> {
  const rules: Record<string, unknown> = {};
  for (const name of LIMITS) {
    const text = (values[name] ?? "").trim();
    if (text) rules[name] = Number(text);
  }
  rules.paths = linesOf(values.paths);
  const spam = linesOf(values.referrerSpam);
  if (spam.length) rules.referrerSpam = spam;
  const hours = values.span === "day" ? 24 : 1;
  const to = now.toISOString();
  return {
    rules,
    from: new Date(now.getTime() - hours * 3_600_000).toISOString(),
    to,
    ...(values.mode ? { mode: values.mode } : {}),
  };
}

function linesOf(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter(Boolean);
}

// Only what would be otherwise, the largest difference first.
export function differing<T extends Compared>(rows: readonly T[]): T[] {
  return rows
    .filter((row) => row.before !== row.after)
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

export function signed(value: number): string {
  const text = Math.abs(value).toLocaleString("en");
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : "0";
}
