// A plan in words: what was counted and what was planned, beside each other. Pure.
import { short, whole } from "./words.ts";

export interface Costs {
  hitsPerDay: number;
  busiestMinute: number;
  usd: string;
  kinesisShards: number;
  firstToBreak: string;
  reachedAt: number;
}

export interface Plan {
  hours: number;
  actual: Costs | null;
  planned: Costs | null;
  says: string[];
  isBeingMade: boolean;
}

export interface PlanRow {
  name: string;
  actual: string;
  planned: string;
  isApart: boolean; // by more than a quarter, as `footfall plan --actual` has it
}

const APART = 0.25;

export function planRows({ actual, planned }: Plan): PlanRow[] {
  if (!actual) return [];
  const row = (name: string, words: (of: Costs) => string, number: (of: Costs) => number): PlanRow => ({
    name,
    actual: words(actual),
    planned: planned ? words(planned) : "–",
    isApart: planned !== null && isApart(number(actual), number(planned)),
  });
  return [
    row(
      "Hits a day",
      (of) => short(of.hitsPerDay),
      (of) => of.hitsPerDay,
    ),
    row(
      "Busiest minute",
      (of) => `${short(of.busiestMinute)} hits`,
      (of) => of.busiestMinute,
    ),
    row(
      "On AWS, a month",
      (of) => dollars(of.usd),
      (of) => Number(of.usd),
    ),
    row(
      "Kinesis shards",
      (of) => whole(of.kinesisShards),
      (of) => of.kinesisShards,
    ),
    row(
      "A limit is reached at",
      (of) => `${times(of.reachedAt)} times`,
      () => 0,
    ),
  ];
}

export function dollars(usd: string): string {
  const value = Number(usd);
  return `$${value < 1_000 ? value.toFixed(2) : whole(Math.round(value))}`;
}

export function times(multiple: number): string {
  return multiple < 100 ? multiple.toFixed(1) : whole(Math.round(multiple));
}

function isApart(actual: number, planned: number): boolean {
  return Math.abs(actual - planned) > APART * planned;
}
