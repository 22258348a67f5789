// What narrows a metric's numbers, how two versions are compared, and where a lineage's boxes stand.
import { describe, expect, test } from "vitest";
import { changed } from "../address.ts";
import { compared, fateOf, itemsOf, wordsOf } from "../changes.ts";
import {
  chosenIn,
  conditionsIn,
  conditionWords,
  groupingIn,
  textsOf,
  versionsToChoose,
  withoutValue,
  withValue,
} from "../conditions.ts";
import type { Lineage, Linked } from "../lineage.ts";
import { type Picture, pictureOf } from "../picture.ts";

describe("conditions in an address", () => {
  test("are those of the API, whatever signs a value has", () => {
    const conditions = [
      { dimension: "title", values: ["Salt, sugar", "back\\slash", "a:b", ""] },
      { dimension: "قسم", values: ["😀"] },
    ];
    const text = changed(new URLSearchParams("brand=abc&where=old:gone"), { where: textsOf(conditions) });
    const parameters = new URLSearchParams(text);
    expect(conditionsIn(parameters)).toEqual(conditions);
    expect(parameters.getAll("where")[0]).toBe("title:Salt\\, sugar,back\\\\slash,a:b,");
    expect(parameters.get("brand")).toBe("abc");
  });
  test("of one dimension are put together, and what is none is left out", () => {
    const parameters = new URLSearchParams("where=section:a&where=section:b,a&where=nothing&where=:x");
    const [only, ...others] = conditionsIn(parameters);
    expect([only, others]).toEqual([{ dimension: "section", values: ["a", "b"] }, []]);
    expect(only && conditionWords(only)).toBe("section is “a” or “b”");
    expect(conditionWords({ dimension: "section", values: [""] })).toBe("section is not told");
  });
  test("are added once and taken away one by one", () => {
    const one = withValue([], "section", "news");
    expect(withValue(one, "section", "news")).toBe(one);
    const two = withValue(one, "section", "sports");
    expect(withoutValue(two, "section", "news")).toEqual([{ dimension: "section", values: ["sports"] }]);
    expect(withoutValue(one, "section", "news")).toEqual([]);
  });
  test("come with two groups at most, of those that the metric has", () => {
    const grouped = (text: string) => groupingIn(new URLSearchParams(text), ["section", "a,b", "paid"]);
    expect(grouped("by=section,a\\,b&by=paid")).toEqual(["section", "a,b"]);
    expect(grouped("by=other,section,section")).toEqual(["section"]);
  });
  test("and with one definition: a number goes before a moment, and nonsense is none", () => {
    const chosen = (text: string) => chosenIn(new URLSearchParams(text));
    expect(chosen("version=2&asOf=2026-11-01T00:00Z")).toEqual({ version: "2", asOf: "" });
    expect(chosen("version=0&asOf=2026-11-01T00:00Z")).toEqual({ version: "", asOf: "2026-11-01T00:00Z" });
    expect(chosen("version=-1&asOf=soon")).toEqual({ version: "", asOf: "" });
    expect(versionsToChoose(3, "")).toEqual([3, 2, 1]);
    expect(versionsToChoose(99, "7")).toHaveLength(51);
  });
});

describe("two versions", () => {
  const marked = (before: readonly string[], after: readonly string[]) => {
    const of = compared(before, after);
    const text = (pieces: typeof of.before) =>
      pieces.map((one) => (one.isOther ? `[${one.text}]` : one.text)).join("");
    return [text(of.before), text(of.after)];
  };
  test("are compared by words and names between quotes", () => {
    expect(marked(wordsOf("reads / people"), wordsOf('ratio("paid reads", people, 0)'))).toEqual([
      "[reads /] people",
      '[ratio("paid reads",] people[, 0)]',
    ]);
    expect(marked(wordsOf("a + b"), wordsOf("a - b"))).toEqual(["a [+] b", "a [-] b"]);
  });
  test("have lists that are compared by names", () => {
    expect(marked(itemsOf(["reads"]), itemsOf(["paid reads", "reads"]))).toEqual([
      "reads",
      "[paid reads, ]reads",
    ]);
  });
  test("of any length are compared or told whole", () => {
    const long = wordsOf("a ".repeat(2_000));
    expect(compared(long, wordsOf("b"))).toMatchObject({ after: [{ text: "b", isOther: true }] });
    expect([fateOf("–", "x"), fateOf("x", "–"), fateOf("x", "y")]).toEqual(["added", "removed", "changed"]);
  });
});

describe("the picture of a lineage", () => {
  const linked = (name: string, depth: number, consumes: string[] = []): Linked => {
    const about = { title: "", valueType: "HYBRID", unit: "", version: 1, hash: "", owner: "" };
    return { ...about, name, depth, consumes, isDeprecated: false };
  };
  const lineage = (needs: Linked[], usedBy: Linked[]): Lineage => ({
    ...linked("me", 0),
    dimensions: [],
    needs,
    usedBy,
    isCut: false,
  });
  const columns = ({ spots }: Picture) => Object.fromEntries(spots.map((one) => [one.row.name, one.column]));
  test("has each metric once, and every line goes to the right", () => {
    const needs = [linked("part", 1, ["source"]), linked("source", 1)];
    const users = [linked("user", 1, ["me", "stranger"]), linked("report", 1, ["user", "me", "part"])];
    const picture = pictureOf(lineage(needs, users));
    expect(picture && columns(picture)).toEqual({ source: 0, part: 1, me: 2, user: 3, report: 4 });
    expect(picture?.edges.every(({ from, to }) => from.column < to.column)).toBe(true);
    expect(picture?.edges).toHaveLength(7);
  });
  test("has no two boxes in one place", () => {
    const needs = Array.from({ length: 30 }, (_, n) => linked(`n${n}`, 1, n < 20 ? [`n${n + 10}`] : []));
    const { spots, rows } = pictureOf(lineage(needs, [])) as Picture;
    expect(new Set(spots.map((one) => `${one.column} ${one.place}`)).size).toBe(31);
    expect(spots.every((one) => one.place >= 0 && one.place <= rows - 1)).toBe(true);
  });
  test("is not drawn of nothing, nor of too much", () => {
    expect(pictureOf(lineage([], []))).toBe(null);
    expect(
      pictureOf(
        lineage(
          Array.from({ length: 80 }, (_, n) => linked(`n${n}`, 1)),
          [],
        ),
      ),
    ).toBe(null);
  });
});
