// A plan in words: rows beside each other, and only what is apart is marked.
import { describe, expect, test } from "vitest";
import { type Costs, dollars, type Plan, planRows, times } from "../plan.ts";

const COUNTED: Costs = {
  hitsPerDay: 50_000_000,
  busiestMinute: 60_000,
  usd: "4019.27",
  kinesisShards: 2,
  firstToBreak: "records a second of a Kinesis shard",
  reachedAt: 1.94,
};
const plan = (planned: Costs | null, actual: Costs | null = COUNTED): Plan => ({
  hours: 336,
  actual,
  planned,
  says: [],
  isBeingMade: false,
});

describe("a plan's rows", () => {
  test("say what was counted, and a dash where nothing was planned", () => {
    const [hits, , aws, , first] = planRows(plan(null));
    expect(hits).toEqual({ name: "Hits a day", actual: "50M", planned: "–", isApart: false });
    expect(aws?.actual).toBe("$4,019");
    expect(first?.actual).toBe("1.9 times");
  });

  test("mark what is more than a quarter apart", () => {
    const rows = planRows(plan({ ...COUNTED, hitsPerDay: 20_000_000, usd: "3900.00" }));
    expect(rows.filter((row) => row.isApart).map((row) => row.name)).toEqual(["Hits a day"]);
  });

  test("are none while nothing was counted", () => {
    expect(planRows(plan(COUNTED, null))).toEqual([]);
  });
});

describe("numbers", () => {
  test("of money have cents below a thousand", () => {
    expect(dollars("12.5")).toBe("$12.50");
    expect(dollars("12345.6")).toBe("$12,346");
  });

  test("of multiples have a digit below a hundred", () => {
    expect(times(1.94)).toBe("1.9");
    expect(times(1_175)).toBe("1,175");
  });
});
