import { describe, expect, test } from "vitest";
import { linesOf, reasonWords, sumOf } from "../books.ts";
import { filesOf, gaugeOf, gaugesOf, ratesOf, samplesOf } from "../gauges.ts";
import { drawn, lastWhole, merged, story, totalOf } from "../minutes.ts";
import type { Ledger } from "../shapes.ts";
import { notesOf } from "../verdicts.ts";

describe("the ledger", () => {
  const book: Ledger = {
    brand: "abc",
    accepted: 20,
    counted: 10,
    duplicate: 1,
    screened: { reload: 2, "bot-agent": 5 },
    held: 0,
    late: 1,
    future: 0,
    unlabelled: 0,
    dead: 0,
    inFlight: 1,
    rawSince: null,
  };
  test("adds up line by line, reasons within theirs and the most first", () => {
    const lines = linesOf(book);
    expect(sumOf(lines)).toBe(20);
    expect(lines.find((line) => line.name === "Screened")).toMatchObject({
      hits: 7,
      reasons: [
        { name: "bot-agent", hits: 5 },
        { name: "reload", hits: 2 },
      ],
    });
    expect(reasonWords("bot-agent")).toBe("bot agent");
  });
  test("a line that a server does not know yet is none", () => {
    expect(sumOf(linesOf({ brand: "abc", accepted: 0, rawSince: null }))).toBe(0);
  });
});

describe("gauges", () => {
  const text = [
    "# HELP footfall_ready 1 when hits are taken",
    "footfall_ready 1.0",
    'footfall_disk_bytes{file="store.db"} 4.096e+03',
    'footfall_disk_bytes{file="store.db-wal"} 100',
    'footfall_brand_accepted_total{brand="a\\"b\\\\c\\nd"} 7',
  ].join("\n");
  test("are read with their labels, however those are escaped", () => {
    const samples = samplesOf(text);
    expect(gaugeOf(samples, "footfall_ready")).toBe(1);
    expect(gaugesOf(samples, "footfall_brand_accepted_total", "brand")).toEqual([['a"b\\c\nd', 7]]);
    expect(filesOf(gaugesOf(samples, "footfall_disk_bytes", "file"))).toEqual([["store.db", 4196]]);
  });
  test("a rate is what a total grew by, and none across a restart", () => {
    const at = (seconds: number, value: number) => ({
      at: seconds,
      samples: [{ name: "n", labels: {}, value }],
    });
    expect(ratesOf([at(0, 10), at(2, 30), at(4, 5)], "n")).toEqual([null, 10, null]);
  });
});

describe("minutes", () => {
  const first = [
    { from: "2026-11-16T10:00Z", hits: 3 },
    { from: "2026-11-16T10:01Z", hits: 1, open: true },
  ];
  test("newest ones take the place of what was open, and the oldest go", () => {
    const next = merged(
      first,
      [
        { from: "2026-11-16T10:01Z", hits: 5 },
        { from: "2026-11-16T10:02Z", hits: 2, open: true },
      ],
      2,
    );
    expect(next).toEqual([
      { from: "2026-11-16T10:01Z", hits: 5, open: false },
      { from: "2026-11-16T10:02Z", hits: 2, open: true },
    ]);
    expect(lastWhole(next)?.hits).toBe(5);
    expect(totalOf(next, "hits")).toBe(7);
    expect(drawn(next, "hits")).toEqual([5, null]);
  });
  test("hits and visitors of a minute are one point", () => {
    const both = merged(first, [{ from: "2026-11-16T10:00Z", uniques: 2 }], 60);
    expect(both[0]).toEqual({ from: "2026-11-16T10:00Z", hits: 3, uniques: 2, open: false });
  });
  test("a chart has its story in words", () => {
    expect(
      story(
        [
          { from: "a", hits: 2 },
          { from: "b", hits: 4 },
        ],
        "hits",
        (text) => text,
      ),
    ).toBe("on average 3, most 4 at b, last 4");
    expect(story([], "hits", String)).toBe("nothing yet");
  });
});

describe("verdicts", () => {
  test("features are parts of the whole, the largest first", () => {
    const note = { words: "", value: 1, direction: "high", strength: 1 };
    const parts = notesOf([
      { ...note, feature: "a", attribution: 1 },
      { ...note, feature: "b", attribution: 3 },
      { ...note, feature: "c", attribution: -1 },
    ]);
    expect(parts.map((part) => [part.feature, part.share])).toEqual([
      ["b", 0.75],
      ["a", 0.25],
      ["c", 0],
    ]);
  });
});
