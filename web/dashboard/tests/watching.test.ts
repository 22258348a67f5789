import { describe, expect, test } from "vitest";
import {
  asCounts,
  curvePath,
  curveWords,
  daysSaid,
  minutesSaid,
  moneySaid,
  sharesSeen,
  statementAddress,
  tenthsOf,
} from "../watching.ts";

describe("minutes", () => {
  test("few have a digit, many are whole, very many are hours", () => {
    expect([0, 1.5, 99.96, 101.4, 5_999, 6_000].map(minutesSaid)).toEqual([
      "0 min",
      "1.5 min",
      "100 min",
      "101 min",
      "5,999 min",
      "100 h",
    ]);
  });
  test("become points that charts draw", () => {
    const points = [
      { from: "2026-11-17T10:00Z", minutes: 2.5 },
      { from: "2026-11-17T11:00Z", open: true },
    ];
    expect(asCounts(points)).toEqual([
      { from: "2026-11-17T10:00Z", hits: 2.5 },
      { from: "2026-11-17T11:00Z", hits: 0, open: true },
    ]);
  });
});

describe("a completion curve", () => {
  const curve = { playbacks: 4, seen: [...Array(50).fill(4), ...Array(49).fill(2), 1] as number[] };
  test("is the part of all viewings that saw each hundredth", () => {
    expect(sharesSeen(curve).slice(49, 51)).toEqual([1, 0.5]);
    expect(sharesSeen({ playbacks: 0, seen: curve.seen })).toEqual([]);
  });
  test("has tenths for whoever reads a table", () => {
    const tenths = tenthsOf(sharesSeen(curve));
    expect(tenths.map((one) => one.name).slice(0, 2)).toEqual(["0 to 10%", "10 to 20%"]);
    expect(tenths.at(4)?.share).toBe(1);
    expect(tenths.at(9)?.share).toBeCloseTo(0.475);
    expect(tenthsOf([])).toEqual([]);
  });
  test("goes from edge to edge, and its top is everybody", () => {
    expect(curvePath([1, 0.5, 0], 100, 102)).toBe("M0.0 1.0L50.0 51.0L100.0 101.0");
    expect(curvePath([], 100, 102)).toBe("");
  });
  test("is told in a sentence", () => {
    expect(curveWords(curve)).toBe(
      "of 4 viewings that are over, 100% saw the beginning, 50% the middle and 25% the end",
    );
    expect(curveWords({ playbacks: 0, seen: [] })).toBe("nobody has watched it yet");
  });
});

describe("a closed period", () => {
  test("has its money to the last cent", () => {
    expect(moneySaid(4_500_007, 2, "EUR")).toBe("45,000.07 EUR");
    expect(moneySaid(-5, 2, "EUR")).toBe("−0.05 EUR");
    expect(moneySaid(1_200, 0, "JPY")).toBe("1,200 JPY");
  });
  test("is named by its first and its last day in the brand's zone", () => {
    expect(daysSaid("2026-09-30T21:00Z", "2026-10-31T22:00Z", "Europe/Helsinki")).toBe(
      "2026-10-01 to 2026-10-31",
    );
    expect(daysSaid("2026-10-01T00:00Z", "2026-10-02T00:00Z", "UTC")).toBe("2026-10-01");
  });
  test("has a statement at its own address, whatever it is called", () => {
    expect(statementAddress("daily", "2026 10/é", "csv")).toBe(
      "/v1/audience/earnings/2026%2010%2F%C3%A9?brand=daily&format=csv",
    );
  });
});
