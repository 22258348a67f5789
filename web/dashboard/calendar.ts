// A calendar on which only days with captures can be chosen. Pure: days are texts such as 2026-11-17, and no zone moves them.

export interface Day {
  date: string;
  day: number;
  count: number;
}

export interface Month {
  name: string;
  month: number; // 1 to 12
  before: number; // empty places before its first day, weeks beginning on Monday
  days: Day[];
  count: number;
}

export type Counts = Readonly<Record<string, number>>;

const NAME = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" });
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });
const DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

export function monthsOf(year: number, counts: Counts): Month[] {
  return Array.from({ length: 12 }, (_, month) => {
    const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const days = Array.from({ length }, (_, at) => {
      const date = `${pad(year, 4)}-${pad(month + 1, 2)}-${pad(at + 1, 2)}`;
      return { date, day: at + 1, count: counts[date] ?? 0 };
    });
    return {
      name: NAME.format(Date.UTC(year, month, 1)),
      month: month + 1,
      before: (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7,
      days,
      count: days.reduce((sum, one) => sum + one.count, 0),
    };
  });
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

// A day as it is said aloud.
export function dayWords(date: string): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? date : `${WEEKDAY.format(at)}, ${DATE.format(at)}`;
}

// Where a key leads from a day: among the days with captures, which are all that there is to choose.
export function dayAfterKey(key: string, from: string, counts: Counts): string | null {
  const days = Object.keys(counts)
    .filter((day) => counts[day])
    .sort();
  if (key === "Home") return days[0] ?? null;
  if (key === "End") return days.at(-1) ?? null;
  if (key === "ArrowLeft") return days.findLast((day) => day < from) ?? null;
  if (key === "ArrowRight") return days.find((day) => day > from) ?? null;
  if (key === "ArrowUp") return days.findLast((day) => day <= shifted(from, -7)) ?? null;
  if (key === "ArrowDown") return days.find((day) => day >= shifted(from, 7)) ?? null;
  return null;
}

function shifted(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

// The years that have captures at their ends; those between are offered too.
export function yearsOf(first: string | null | undefined, last: string | null | undefined): number[] {
  const [from, to] = [yearOf(first), yearOf(last)];
  if (from === null || to === null) return [];
  return Array.from({ length: Math.max(0, to - from) + 1 }, (_, at) => to - at);
}

export function yearOf(text: string | null | undefined): number | null {
  const found = /^(\d{4})-/.exec(text ?? "");
  return found ? Number(found[1]) : null;
}

export function dayIn(text: string | null | undefined): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") ? (text ?? "") : "";
}
