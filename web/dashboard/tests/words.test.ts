import { describe, expect, test } from "vitest";
import {
  ago,
  aligned,
  bounded,
  boundsBeside,
  bytes,
  change,
  counted,
  knownZone,
  percent,
  Times,
} from "../words.ts";

describe("numbers", () => {
  test("a count that is certain is a number alone, and one that is not has its bound", () => {
    expect(bounded(1234, undefined)).toBe("1,234");
    expect(bounded(1234, 1234)).toBe("1,234");
    expect(bounded(1234, 1300)).toBe("1,234 to 1,300");
    expect(bounded(1234, null)).toBe("at least 1,234");
  });
  test("a number that is its own bounds stands alone", () => {
    expect(boundsBeside(208, 208, 208)).toBe("");
    expect(boundsBeside(1234, 1200, 1300)).toBe("1,200 to 1,300");
    expect(boundsBeside(208, 208, null)).toBe("at least 208");
    expect(boundsBeside(0, 0, undefined)).toBe("");
  });
  test("a change is told in percent, with its direction as a sign", () => {
    expect(change(150, 100)).toBe("+50%");
    expect(change(50, 100)).toBe("−50%");
    expect(change(100, 100)).toBe("as before");
    expect(change(1, 0)).toBe("none before");
    expect(change(1, null)).toBe("not known");
  });
  test("bytes have the unit that a person would choose", () => {
    expect(bytes(6)).toBe("6 B");
    expect(bytes(65_536)).toBe("65.5 kB");
    expect(bytes(172_000_000)).toBe("172 MB");
  });
  test("one is singular", () => {
    expect(counted(1, "hit")).toBe("1 hit");
    expect(counted(2, "hit")).toBe("2 hits");
    expect(percent(0.123)).toBe("12.3%");
  });
  test("shares of a column have the same digits, so that they stand under each other", () => {
    expect([0.32, 0.269, 1].map(aligned)).toEqual(["32.0%", "26.9%", "100.0%"]);
  });
  test("how long ago has seconds first and coarser units later", () => {
    expect(ago(0.4)).toBe("0 s ago");
    expect(ago(600)).toBe("10 min ago");
    expect(ago(7_200)).toBe("2 h ago");
    expect(ago(-3)).toBe("0 s ago");
  });
});

describe("times", () => {
  test("a moment is written in the brand's zone", () => {
    expect(new Times("Europe/Helsinki").clockOf("2026-11-15T12:00Z")).toBe("14:00");
    expect(new Times("Asia/Kathmandu").clockOf("2026-11-15T12:00Z")).toBe("17:45");
  });
  test("a span within a day names the day once", () => {
    const times = new Times("UTC");
    expect(times.spanOf("2026-11-15T12:00Z", "2026-11-15T13:00Z")).toBe("Sun 15 Nov, 12:00–13:00");
    expect(times.spanOf("2026-11-14T12:00Z", "2026-11-15T13:00Z")).toBe("14 Nov, 12:00 – 15 Nov, 13:00");
  });
  test("a zone that nobody knows is UTC", () => {
    expect(knownZone("Moon/Base")).toBe("UTC");
    expect(new Times("Moon/Base").clockOf("2026-11-15T12:00Z")).toBe("12:00");
  });
});
