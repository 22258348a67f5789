// What a metric is in words, its numbers as lines, its lineage as trees, and what a form sends.
import { describe, expect, test } from "vitest";
import { metricAddress, metricOf } from "../address.ts";
import { deedWords } from "../deeds.ts";
import { documentFrom, EXAMPLE, pointedAt } from "../drafts.ts";
import { type Branch, type Linked, needsOf, usersOf } from "../lineage.ts";
import {
  areGroupsAlone,
  definitionWords,
  isFiltered,
  isGroupedOtherwise,
  type Metric,
  periodWords,
  questionFor,
  soughtIn,
  unitWords,
  valueWords,
  whereFrom,
  whereLines,
} from "../metrics.ts";
import {
  amount,
  begunHours,
  coverageWords,
  drawnFrom,
  firstKnown,
  numbersStory,
  openHour,
  openPlace,
  parted,
  rangeOf,
  spanIn,
  tick,
} from "../numbers.ts";
import { problemWords } from "../problems.ts";
import { pageOfBrand } from "../routes.ts";

const METRIC: Metric = {
  name: "reads",
  valueType: "SCALAR",
  relatedDimensions: ["section"],
  consumedMetrics: [],
  version: 1,
  hash: "0".repeat(32),
  createdAt: "2026-11-15T14:30Z",
  createdBy: "no key",
  updatedAt: "2026-11-15T14:30Z",
  updatedBy: "no key",
};

describe("a definition", () => {
  test("is told in words, whatever kind it is", () => {
    expect(definitionWords(METRIC)).toEqual([
      "It is a number that is sent for each day.",
      "Days of a week or a month are added up.",
      "It can be grouped by section.",
    ]);
    const counts = { counts: "hits", where: { section: ["news", "sports"], paidType: ["paid"] } };
    expect(definitionWords({ ...METRIC, source: counts })[0]).toBe(
      "It counts the hits of this brand’s pages, where section is “news” or “sports” and paidType is “paid”.",
    );
    const sentences = ["playbacks", "completions", "follows", "unfollows"].map(
      (one) => definitionWords({ ...METRIC, source: { counts: one, where: {} } })[0],
    );
    expect(sentences).toEqual([
      "It counts the viewings that began.",
      "It counts the viewings that have seen at least 90 hundredths of the asset.",
      "It counts the follows that began.",
      "It counts the follows that ended.",
    ]);
    const percentile = { ...METRIC, valueType: "PERCENTILE", aggregationStyle: "PERCENTILE" };
    const said = (of: number) => definitionWords({ ...percentile, aggregationParam: of })[0];
    expect([95, 1, 2, 3, 11, 99.9].map((of) => /the (\S+) percentile/.exec(said(of) ?? "")?.[1])).toEqual([
      "95th",
      "1st",
      "2nd",
      "3rd",
      "11th",
      "99.9",
    ]);
    const chained = { ...METRIC, chainedMetric: "old reads", chainCutoffDate: "2026-01-01" };
    expect(definitionWords(chained).at(-1)).toBe("Before 1 Jan 2026 its numbers are those of old reads.");
  });
  test("has a unit that is said, unless it has none", () => {
    expect(unitWords("hits/visitors")).toBe("hits per visitor");
    expect(["EUR*hits/visitors^2", "hits/s", "hits/class", "minutes"].map(unitWords)).toEqual([
      "EUR × hits per visitor^2",
      "hits per s",
      "hits per class",
      "minutes",
    ]);
    expect(new Set(["ratio", "", undefined].map(unitWords))).toEqual(new Set(["a plain number"]));
    expect(valueWords("unit", "ratio")).toBe("a plain number");
  });
  test("has fields whose values are read without knowing JSON", () => {
    expect(valueWords("title", null)).toBe("–");
    expect(valueWords("relatedDimensions", ["section", "paidType"])).toBe("section, paidType");
    expect(valueWords("source", { counts: "hits", where: { section: ["a,b"] } })).toBe("hits, section: a,b");
    expect(valueWords("aggregationStyle", "LAST_DAY_OF_PERIOD")).toBe("its last day");
  });
  test("has conditions that are typed line by line and come back as they were", () => {
    const where = { section: ["a,b", "c: d"], constructor: ["x"] };
    expect(whereFrom(whereLines(where).join("\n"))).toEqual(where);
    expect(whereFrom("")).toEqual({});
    expect(["news", "section:", ": news"].map(whereFrom)).toEqual([null, null, null]);
  });
});

describe("addresses", () => {
  test("whatever a metric is called, its address leads back to it", () => {
    for (const name of ["reads", "Leser/Tag", "читатели", "%", "a?b#c", '"><svg onload=x>', "😀"]) {
      const path = metricAddress(name, "abc").split("?")[0] ?? "";
      expect(path).toMatch(/^\/catalogue\/[^/?#]*$/);
      expect(metricOf(path)).toBe(name);
    }
    expect(metricOf("/catalogue/%zz")).toBe("%zz");
  });
  test("another brand has other metrics", () => {
    expect(["/catalogue/reads", "/catalogue", "/assets/7", "/ledger"].map(pageOfBrand)).toEqual([
      "/catalogue",
      "/catalogue",
      "/",
      "/ledger",
    ]);
  });
  test("what is sought is in the address, and nonsense is not asked for", () => {
    const sought = soughtIn(new URLSearchParams("q=+per+reader+&valueType=HYBRID&deprecated=false&after=a"));
    expect(questionFor("abc", sought)).toEqual({
      brand: "abc",
      q: "per reader",
      valueType: "HYBRID",
      deprecated: "false",
      after: "a",
      limit: 50,
    });
    const nonsense = soughtIn(new URLSearchParams("valueType=x&deprecated=perhaps"));
    expect(isFiltered(nonsense)).toBe(false);
    expect(isFiltered(sought)).toBe(true);
  });
  test("a span is whole weeks and months up to today, or the days that somebody chose", () => {
    const at = (query: string) => spanIn(new URLSearchParams(query), "2026-11-18");
    expect(at("")).toEqual({ grain: "day", from: "2026-10-20", to: "2026-11-19", isOwn: false });
    expect(at("grain=week").from).toBe("2026-05-25"); // a Monday
    expect(at("grain=month").from).toBe("2025-11-01");
    expect(at("grain=quarter").from).toBe("2024-10-01");
    expect(at("grain=year").from).toBe("2021-01-01");
    expect(at("grain=hour")).toEqual({ grain: "hour", from: "2026-11-17", to: "2026-11-19", isOwn: false });
    expect(at("grain=month&from=2025-01-01&to=2025-07-01")).toEqual({
      grain: "month",
      from: "2025-01-01",
      to: "2025-07-01",
      isOwn: true,
    });
    expect(at("from=2026-11-01&to=2030-01-01").to).toBe("2026-11-19");
    for (const bad of [
      "from=2025-07-01&to=2025-01-01",
      "from=x&to=y",
      "from=2025-02-99&to=2026-01-01",
      "from=0002-01-01&to=2026-01-01",
      "from=2027-01-01&to=2028-01-01",
      "grain=eon",
    ])
      expect(at(bad).isOwn).toBe(false);
  });
});

describe("numbers", () => {
  const item = (period: string, section: string, value: number | null) => ({
    period,
    dimensions: { section },
    value,
  });
  const items = [
    item("2026-11-16", "news", 1),
    item("2026-11-16", "", 5),
    item("2026-11-17", "news", null),
    item("2026-11-17", "", -7),
  ];
  test("are a line for each group, the largest first, with gaps where they are missing", () => {
    expect(drawnFrom({ items, by: ["section"] }, "reads")).toEqual({
      periods: ["2026-11-16", "2026-11-17"],
      groups: [
        { name: "no section", values: [5, -7], size: 12 },
        { name: "news", values: [1, null], size: 1 },
      ],
    });
    expect(drawnFrom({ items: [], by: [] }, "reads")).toEqual({ periods: [], groups: [] });
  });
  test("of a period that is not over are drawn apart", () => {
    const periods = ["2026-11-16", "2026-11-17"];
    expect(openPlace(periods, "2026-11-18", "2026-11-17")).toBe(1);
    expect(openPlace(periods, "2026-11-18", "2026-11-18")).toBe(-1);
    expect(openPlace([], "2026-11-18", "2026-11-17")).toBe(-1);
    expect(parted([3, 1], 1)).toEqual({ values: [3, null], soFar: [3, 1] });
    expect(parted([3, null], 1)).toEqual({ values: [3, null] });
    expect(parted([3, 1], -1)).toEqual({ values: [3, 1] });
  });
  test("of hours end with the one that is not over", () => {
    const hours = ["2026-11-16T12:00Z", "2026-11-16T13:00Z", "2026-11-16T14:00Z"].map((period) => ({
      period,
    }));
    const now = Date.parse("2026-11-16T13:20Z");
    const begun = begunHours(hours, now).map(({ period }) => period);
    expect([begun.length, openHour(begun, now), openHour(begun, now + 3_600_000)]).toEqual([2, 1, -1]);
    expect(openHour([], now)).toBe(-1);
  });
  test("that begin within the span say when", () => {
    const at = (...values: (number | null)[]) =>
      firstKnown({ periods: ["a", "b", "c"], groups: [{ name: "x", values, size: 1 }] });
    expect([at(null, 0, 1), at(1, null, 2), at(null, null, null)]).toEqual(["b", undefined, undefined]);
  });
  test("of two versions may be the same and grouped otherwise", () => {
    const one = { valueType: "SCALAR", unit: "hits", relatedDimensions: ["section"] } as unknown as Metric;
    expect(isGroupedOtherwise(one, { ...one, relatedDimensions: [], title: "T" })).toBe(true);
    expect(isGroupedOtherwise(one, { ...one, unit: "minutes" })).toBe(false);
    const differing = (...fields: string[]) =>
      areGroupsAlone(fields.map((field) => ({ field, before: 1, after: 2 })));
    expect([differing("relatedDimensions", "title"), differing("unit", "title")]).toEqual([true, false]);
  });
  test("have as many digits as tell something", () => {
    expect([0, 1.256, 0.0001234, -2, 12_345.678].map(amount)).toEqual([
      "0",
      "1.26",
      "0.000123",
      "-2",
      "12,345.68",
    ]);
    expect([0.25, 999, 12_000].map(tick)).toEqual(["0.25", "999", "12K"]);
  });
  test("below nothing have room, and a line of nothing has a scale", () => {
    expect(rangeOf(0, 0)).toEqual([0, 1]);
    expect(rangeOf(null, null)).toEqual([0, 1]);
    expect(rangeOf(2, 100)).toEqual([0, 108]);
    const [low, high] = rangeOf(-50, -10);
    expect([low < -50, high]).toEqual([true, 0]);
  });
  test("are told to whoever does not see the chart", () => {
    const drawn = drawnFrom({ items, by: ["section"] }, "reads");
    expect(numbersStory(drawn, (period) => periodWords(period, "day"))).toBe(
      "no section from -7 (17 Nov 2026) to 5 (16 Nov 2026), last -7; news from 1 (16 Nov 2026) to 1 (16 Nov 2026), last 1",
    );
    expect(numbersStory({ periods: [], groups: [] }, String)).toBe("no numbers yet");
    expect(periodWords("2026-11-01", "month")).toBe("Nov 2026");
    expect(periodWords("2026-11-16", "week")).toBe("week from 16 Nov 2026");
    expect(periodWords("2026-10-01", "quarter")).toBe("Q4 2026");
    expect(periodWords("2026-01-01", "year")).toBe("2026");
    expect(periodWords("2026-11-16T22:00Z", "hour", "Europe/Helsinki")).toBe("17 Nov, 00:00");
  });
  test("say how much of the span they are made of", () => {
    expect(coverageWords({ days: 31, withData: 30 })).toBe("30 of 31");
    expect(coverageWords({ days: 1, withData: 1 })).toBe("all 1");
    expect(coverageWords({ hours: 24, withData: 0 })).toBe("0 of 24");
  });
});

describe("a lineage", () => {
  const linked = (name: string, depth: number, consumes: string[] = []): Linked => ({
    name,
    depth,
    consumes,
    title: "",
    valueType: "HYBRID",
    unit: "",
    version: 1,
    hash: "",
    isDeprecated: false,
    owner: "",
  });
  const names = (branches: Branch[]): unknown[] =>
    branches.map(({ row, branches, isAgain }) => [row.name + (isAgain ? " again" : ""), ...names(branches)]);
  test("opens each metric once, though many share it", () => {
    const needs = [linked("a", 1, ["c"]), linked("b", 1, ["c"]), linked("c", 2, ["d"]), linked("d", 3)];
    expect(names(needsOf({ needs }))).toEqual([
      ["a", ["c", ["d"]]],
      ["b", ["c again"]],
    ]);
  });
  test("goes the other way by who consumes it", () => {
    const usedBy = [linked("x", 1, ["me", "other"]), linked("y", 2, ["x"])];
    expect(names(usersOf({ name: "me", usedBy }))).toEqual([["x", ["y"]]]);
    expect(usersOf({ name: "me", usedBy: [] })).toEqual([]);
  });
});

describe("a form", () => {
  test("sends what its kind takes and nothing else", () => {
    const typed = {
      name: " reads ",
      valueType: "SCALAR",
      unit: "",
      relatedDimensions: "section, paidType section",
    };
    expect(documentFrom({ ...typed, counts: "hits", where: "section: news", title: "" })).toEqual({
      document: {
        name: "reads",
        valueType: "SCALAR",
        relatedDimensions: ["section", "paidType"],
        aggregationStyle: "SUM",
        source: { counts: "hits", where: { section: ["news"] } },
      },
    });
    expect(documentFrom({ ...typed, valueType: "HYBRID", hybridFormula: " a / b" })).toEqual({
      document: { name: "reads", valueType: "HYBRID", hybridFormula: " a / b", aggregationStyle: "SUM" },
    });
    expect(documentFrom({ valueType: "PERCENTILE", aggregationParam: "99" })).toEqual({
      document: {
        valueType: "PERCENTILE",
        relatedDimensions: [],
        aggregationStyle: "PERCENTILE",
        aggregationParam: 99,
      },
    });
    expect(documentFrom({ ...typed, counts: "hits", where: "news" })).toMatchObject({ field: "where" });
    expect(EXAMPLE.source?.counts).toBe("hits");
  });
  test("points at whole characters, however browsers count them", () => {
    expect(pointedAt("😀 / readz", 5)).toEqual({ before: "😀 / ", here: "r", after: "eadz", place: 5 });
    expect(pointedAt("a +", 4)).toEqual({ before: "a +", here: "", after: "", place: 3 });
    expect(pointedAt("", 99)).toEqual({ before: "", here: "", after: "", place: 0 });
  });
  test("says what is wrong with a formula as an editor would", () => {
    expect(
      problemWords("hybridFormula: there is no metric 'readz' (character 1)", "hybridFormula", "Formula"),
    ).toBe("There is no metric “readz” (character 1).");
    expect(
      problemWords(
        "hybridFormula: is empty; write one such as hits / visitors (character 1)",
        "hybridFormula",
        "Formula",
      ),
    ).toBe("Formula is empty; write one such as hits / visitors (character 1).");
  });
});

test("who did what to a metric is told without hashes", () => {
  const deed = {
    at: "2026-11-16T09:00Z",
    by: "no key",
    act: "metric-deprecated",
    subject: "reads",
    details: { reason: "counts prefetches", replacement: "views", version: 3, hash: "3f2a" },
  };
  expect(deedWords(deed)).toEqual({
    act: "deprecated the metric",
    subject: "reads",
    more: "version 3 · counts prefetches · use views instead",
  });
});
