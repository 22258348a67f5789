import { describe, expect, test } from "vitest";
import { counterLinesOf, linesOf, sumOf, unknownLines } from "../books.ts";
import { actWords, byWords, deedWords, detailWords, subjectWords } from "../deeds.ts";
import { bytesOfMillion, filesOf, fullnessOf, gaugeOf, gaugesOf, ratesOf, samplesOf } from "../gauges.ts";
import { drawn, lastWhole, merged, story, totalOf } from "../minutes.ts";
import { causeWords, reasonWords, refusalWords } from "../reasons.ts";
import type { Ledger } from "../shapes.ts";
import { changedWords, meantWords, measured, notesOf } from "../verdicts.ts";

describe("the ledger", () => {
  const book: Ledger = {
    brand: "abc",
    accepted: 20,
    counted: 10,
    duplicate: 1,
    screened: { reload: 2, "bot-agent": 5 },
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
  });
  test("has a line for each line of the API, and names those that it has not", () => {
    expect(unknownLines(book)).toEqual([]);
    expect(unknownLines({ ...book, held: 3 })).toEqual(["held"]);
    const values = {
      accepted: 9,
      counted: 5,
      duplicate: 1,
      screened: { "too-many-names": 2 },
      dead: 0,
      inFlight: 1,
    };
    expect(sumOf(counterLinesOf(values))).toBe(9);
    expect(counterLinesOf(values).map((line) => line.name)).not.toContain("Late");
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
  test("how full something is stands beside what it may hold, and is left out where nobody tells", () => {
    const samples = samplesOf(
      [
        "footfall_rows 1200",
        'footfall_limit{of="rows"} 12000',
        'footfall_memory_bytes{process="front"} 100',
        'footfall_memory_bytes{process="counting"} 50',
        "footfall_memory_limit_bytes 600",
        'footfall_disk_bytes{file="stream.db"} 4000',
        'footfall_disk_bytes{file="stream.db-wal"} 1000',
        'footfall_brand_accepted_total{brand="a"} 20000',
        "footfall_raw_since_seconds 0",
      ].join("\n"),
    );
    expect(fullnessOf(samples).map(({ name, now, most }) => [name, now, most])).toEqual([
      ["Memory", 150, 600],
      ["Rows of lists", 1200, 12000],
    ]);
    expect(bytesOfMillion(samples)).toBe(250_000);
    expect(
      bytesOfMillion(samples.filter((one) => one.name !== "footfall_raw_since_seconds")),
    ).toBeUndefined();
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

describe("the trail", () => {
  test("says who did what, without what only programs need", () => {
    expect(byWords("Ann Editor (p_3k7mqz2v9xw4t6ra)")).toBe("Ann Editor");
    expect(byWords("3k7mqz2v9xw4t6ra")).toBe("Key 3k7mqz2v9xw4t6ra");
    expect(byWords("nightly job (3k7mqz2v9xw4t6ra)")).toBe("Key nightly job");
    expect(byWords("Ann (p_3k7mqz2v9xw4t6ra) (3k7mqz2v9xw4t6ra)")).toBe("Key Ann (p_3k7mqz2v9xw4t6ra)");
    expect(byWords("command line, user ann")).toBe("command line, user ann");
    expect(actWords("key-rotated")).toBe("rotated the key");
    expect(actWords("made-of-cheese")).toBe("made of cheese");
    expect(subjectWords({ by: "Ann (p_1)", subject: "Ann (p_1)" })).toBe("");
    expect(subjectWords({ by: "Ann (p_1)", subject: "Bob (p_2)" })).toBe("Bob");
    expect(detailWords({ isOwner: true, isMailed: false })).toBe("is owner");
    expect(detailWords({ pathsRemoved: "/a", version: 3, label: "", until: null })).toBe(
      "paths removed: /a · version: 3",
    );
  });
  test("is a sentence that an editor would say", () => {
    const ann = "Ann (p_1)";
    const said = (act: string, subject: string, details: Record<string, string | number | boolean>) => {
      const told = deedWords({ at: "2026-11-16T00:00Z", by: ann, act, subject, details });
      return [told.act, told.subject, told.more].filter(Boolean).join(" | ");
    };
    expect(said("alert-added", "al_1", { name: "Quiet", kind: "brand-silent", isOn: true })).toBe(
      "made the alert | Quiet | when the brand falls silent",
    );
    expect(said("key-added", "k1", { kind: "public", scopes: "hits", label: "" })).toBe(
      "made the key | k1 | public",
    );
    const rules = {
      isPublic: false,
      origins: "[]",
      periods: '{"weekend":{"span":"2d"}}',
      requireToken: false,
    };
    expect(said("brand-changed", "herald", rules)).toBe(
      "changed the brand | herald | lists are private · origins: none · periods: weekend · require token: no",
    );
    expect(said("role-changed", ann, { role: "admin", before: "none" })).toBe(
      "came into the brand | as admin",
    );
    expect(said("role-changed", "Bob (p_2)", { role: "editor", before: "viewer" })).toBe(
      "gave a role to | Bob | editor · was viewer",
    );
    expect(said("role-changed", "Bob (p_2)", { role: "none", before: "viewer" })).toBe(
      "took the role away from | Bob | was viewer",
    );
    expect(said("key-rotated", "k1", { kind: "public", replacedBy: "k2", graceSeconds: 86_400 })).toBe(
      "rotated the key | k1 | public · the old one worked for another day",
    );
    expect(said("invited", "x4", { role: "editor", email: "" })).toBe(
      "invited | whoever has the link | as editor",
    );
    expect(said("signed-out", ann, { sessionsEnded: 3 })).toBe("signed out | of 3 browsers");
  });
});

describe("reasons", () => {
  test("are told in words, also those of a newer release", () => {
    expect(reasonWords("bot-agent")).toBe("known bots");
    expect(reasonWords("made-of-cheese")).toBe("made of cheese");
    expect(causeWords("walk")).toBe("goes from asset to asset like a clock");
    expect(refusalWords("signature-forged")).toBe("signature: forged");
    expect(refusalWords("token-new-trick")).toBe("token: new trick");
  });
});

describe("verdicts", () => {
  test("features are parts of the whole, the largest first", () => {
    const note = { words: "", value: 1, unit: "", direction: "high", strength: 1 };
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

  test("a value has its unit, unless nobody knows it", () => {
    expect(measured({ value: 1234.5, unit: "hits" })).toBe("1,230 hits");
    expect(measured({ value: 0.5, unit: "" })).toBe("0.5");
    expect(measured({ value: 1, unit: "sections" })).toBe("1 section");
    expect(measured({ value: 2e12, unit: "hits" })).toBe("2T hits");
  });

  test("whose hits are meant is said", () => {
    expect(meantWords({ kind: "asset", narrowedTo: { agents: 1, visitors: 0 } })).toContain(
      "1 kind of browser",
    );
    expect(meantWords({ kind: "asset", narrowedTo: { agents: 0, visitors: 12 } })).toContain("12 visitors");
    expect(meantWords({ kind: "asset", narrowedTo: null })).toBe("all hits of this asset");
    expect(meantWords({ kind: "visitor", narrowedTo: null })).toBe("all hits of this visitor");
  });

  test("what a decision changed is the whole span of all that is counted again", () => {
    const span = (from: string, to: string) => `${from} to ${to}`;
    const words = changedWords(
      "release",
      [
        { id: "1", recount: { from: "2026-11-15T12:00Z", to: "2026-11-15T13:00Z" } },
        { id: "2", recount: { from: "2026-11-15T11:00:30Z", to: "2026-11-15T12:00Z" } },
        { id: "3", recount: null },
        { id: "4", problem: "there is no such verdict" },
      ],
      span,
    );
    expect(words).toBe(
      "3 cases released: their hits are readers’ again. " +
        "The past is being counted again: 2026-11-15T11:00:30Z to 2026-11-15T13:00Z. " +
        "1 case left as before: there is no such verdict.",
    );
    expect(changedWords("confirm", [{ id: "1", recount: { note: "it is too old" } }], span)).toBe(
      "1 case kept out of every list. Nothing of the past has to be counted again. But it is too old.",
    );
  });
});
