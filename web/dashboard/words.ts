// Numbers, times and names as an editor reads them. Pure: what they are told is all they know.

const WHOLE = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const COLUMN = new Intl.NumberFormat("en", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

export const LABELS: Record<string, string> = {
  person: "People",
  bot: "Known bots",
  ai: "AI agents",
  prefetch: "Prefetches",
  suspected: "Suspected",
  blocked: "Blocked",
};

const PERIODS: Record<string, string> = { justnow: "Just now", day: "Day", week: "Week", hour: "Hour" };

export function whole(value: number): string {
  return WHOLE.format(value);
}

export function short(value: number): string {
  return SHORT.format(value);
}

export function percent(value: number): string {
  return SHARE.format(value);
}

// A share in a column of shares: the same number of digits for each, so that they stand under each other.
export function aligned(value: number): string {
  return COLUMN.format(value);
}

export function counted(value: number, one: string, several = `${one}s`): string {
  return `${whole(value)} ${value === 1 ? one : several}`;
}

// What a bound says: a number alone when it is certain.
export function bounded(value: number, atMost: number | null | undefined): string {
  if (atMost === undefined || atMost === value) return whole(value);
  return atMost === null ? `at least ${whole(value)}` : `${whole(value)} to ${whole(atMost)}`;
}

// What stands beside a number of visitors: its bounds, or nothing where these are the number itself.
export function boundsBeside(value: number, atLeast: number, atMost: number | null | undefined): string {
  if (atMost === undefined || (atLeast === value && atMost === value)) return "";
  return bounded(atLeast, atMost);
}

// Whether every number of a list is certain.
export function exactWords(isExact: boolean): string {
  return isExact ? "counted exactly" : "some counts are given as a range";
}

export function change(now: number, before: number | null | undefined): string {
  if (before === null || before === undefined) return "not known";
  if (before === 0) return now === 0 ? "none either time" : "none before";
  const share = now / before - 1;
  if (Math.abs(share) < 0.0005) return "as before";
  return `${share > 0 ? "+" : "−"}${percent(Math.abs(share))}`;
}

export function periodName(name: string): string {
  return PERIODS[name] ?? name;
}

export function bytes(value: number): string {
  let [amount, unit] = [value, 0];
  while (amount >= 1000 && unit < BYTE_UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount >= 100 || unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

export function ago(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 90) return `${whole} s ago`;
  if (whole < 5_400) return `${Math.round(whole / 60)} min ago`;
  if (whole < 129_600) return `${Math.round(whole / 3_600)} h ago`;
  return `${Math.round(whole / 86_400)} days ago`;
}

// How a moment is written in the brand's own zone.
export class Times {
  private readonly clock: Intl.DateTimeFormat;
  private readonly day: Intl.DateTimeFormat;
  private readonly moment: Intl.DateTimeFormat;
  private readonly date: Intl.DateTimeFormat;
  private readonly seconds: Intl.DateTimeFormat;
  private readonly stamp: Intl.DateTimeFormat;

  constructor(readonly zone: string) {
    const timeZone = knownZone(zone);
    this.clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
    this.day = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "short",
      day: "numeric",
      month: "short",
    });
    this.date = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "medium", timeStyle: "short" });
    this.seconds = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium" });
    this.stamp = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "medium", timeStyle: "medium" });
    this.moment = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
    });
  }

  clockOf(text: string): string {
    return this.clock.format(new Date(text));
  }

  dayOf(text: string): string {
    return this.day.format(new Date(text));
  }

  momentOf(text: string): string {
    return this.moment.format(new Date(text));
  }

  // A time of a day to the second: captures may lie close together.
  exactlyOf(text: string): string {
    return this.seconds.format(new Date(text));
  }

  stampOf(text: string): string {
    return this.stamp.format(new Date(text));
  }

  // A moment that may be years ago.
  dateOf(text: string): string {
    return this.date.format(new Date(text));
  }

  // A span as people say it: the day once when both ends are on it.
  spanOf(from: string, to: string): string {
    const [start, end] = [this.dayOf(from), this.dayOf(to)];
    if (start === end) return `${start}, ${this.clockOf(from)}–${this.clockOf(to)}`;
    return `${this.momentOf(from)} – ${this.momentOf(to)}`;
  }

  windowOf(from: string, grain: string): string {
    if (grain === "day") return this.dayOf(from);
    return grain === "hour" ? this.momentOf(from) : this.clockOf(from);
  }
}

// A zone that this browser does not know is shown as UTC rather than not at all.
export function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    return "UTC";
  }
}
