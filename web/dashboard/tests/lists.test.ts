import { describe, expect, test } from "vitest";
import { addressOf, assetAddress, assetOf, changed, safeAddress } from "../address.ts";
import { addressWith, Gone, Problem, problemFrom } from "../api.ts";
import { patience, waitAfter } from "../asking.ts";
import { brandOf, knownBrands, mayDo } from "../facts.ts";
import { dayOf, dayStart, escaped, filtersSaid, questionOf, sparkOf, wantedFrom } from "../filters.ts";
import { found } from "../finding.ts";
import { type Key, publicKeyOf } from "../keys.ts";
import { labelRows, lacksLabels } from "../labels.ts";
import { ownPath } from "../people.ts";
import { PAGES, pageOf } from "../routes.ts";
import type { Item } from "../shapes.ts";
import { boxOf, boxSaid, commandOf, snippetOf } from "../snippets.ts";
import { sparkPath, sparkWords } from "../sparks.ts";

const PERIODS = ["justnow", "day", "week"];

function item(assetId: string, title: string | null = null): Item {
  return { rank: 1, assetId, hits: 1, sectionId: null, resourceType: null, paidType: null, title };
}

describe("asking again", () => {
  test("a question that is wrong is not asked again by itself", () => {
    for (const status of [400, 422]) {
      expect(waitAfter(new Problem(status, "no"), 1, 10_000, 0.5)).toBeNull();
    }
  });
  test("what may pass is asked again, a busy server soon", () => {
    for (const error of [
      new Gone("away"),
      new Problem(500, "no"),
      new Problem(401, "no"),
      new Problem(404, "no"),
    ]) {
      expect(waitAfter(error, 1, 10_000, 0.5)).toBe(2_000);
    }
    expect(waitAfter(new Problem(503, "busy"), 1, 0, 0.5)).toBe(1_500);
    expect(waitAfter(new Problem(503, "busy"), 9, 0, 0.5)).toBe(10_000);
  });
  test("what is asked once is asked again only where nobody was there", () => {
    expect(waitAfter(new Problem(404, "no"), 1, 0, 0.5)).toBeNull();
    expect(waitAfter(new Gone("away"), 1, 0, 0.5)).toBe(2_000);
  });
});

describe("the box", () => {
  const titled = (number: number) => Array.from({ length: number }, (_, n) => item(`t${n}`, `Title ${n}`));
  const bare = (number: number) => Array.from({ length: number }, (_, n) => item(`b${n}`));
  test("says how many of the most read have no title, and what is left of it", () => {
    expect(boxSaid([...bare(1), ...titled(4)], 5)).toBe(
      "1 of the 5 most read has no title and is left out, so the box shows 4.",
    );
    expect(boxSaid([...bare(3), ...titled(7)], 5)).toBe(
      "3 of the 5 most read have no title and are left out, so the box shows 5.",
    );
    expect(boxSaid(bare(2), 5)).toBe(
      "2 of the 2 most read have no title and are left out, so the box is empty.",
    );
  });
  test("says nothing where all have one, and that nothing was read", () => {
    expect(boxSaid([...titled(5), ...bare(5)], 5)).toBe("");
    expect(boxSaid(undefined, 5)).toBe("");
    expect(boxSaid([], 5)).toContain("Nothing was read");
  });
});

describe("labels of an asset", () => {
  const listed = { ...item("7"), sectionId: 501, resourceType: "article", paidType: "free" };
  test("are those of lists where the catalogue says nothing", () => {
    expect(lacksLabels(undefined)).toBe(true);
    expect(labelRows(undefined, listed, String)).toEqual([
      ["Section", "501"],
      ["Type", "article"],
      ["Paid", "free"],
    ]);
  });
  test("are those of the catalogue where no list has it", () => {
    const known = { sectionId: 0, resourceType: "video", paidType: "paid", tags: ["a", "b"] };
    expect(lacksLabels(known)).toBe(false);
    expect(labelRows(known, undefined, String)).toEqual([
      ["Section", "0"],
      ["Type", "video"],
      ["Paid", "paid"],
      ["Tags", "a, b"],
    ]);
    expect(labelRows(undefined, undefined, String)).toEqual([]);
  });
});

describe("keys", () => {
  const key = (id: string, more: Partial<Key>): Key => ({
    ...{ id, key: `ffpub_${id}`, kind: "public", scopes: [], label: "", created: "2026-11-01T00:00:00Z" },
    ...{ lastUsed: null, expires: null, replacedBy: null },
    ...more,
  });
  test("the line to copy has the newest public key that lasts", () => {
    const replaced = key("1", { replacedBy: "2", expires: "2026-11-17T00:00:00Z" });
    const next = key("2", { created: "2026-11-16T00:00:00Z" });
    const older = key("3", { created: "2026-11-10T00:00:00Z" });
    const ending = key("4", { created: "2026-11-16T01:00:00Z", expires: "2026-12-01T00:00:00Z" });
    const secret = key("5", { kind: "secret", created: "2026-11-16T02:00:00Z" });
    expect(publicKeyOf([replaced, older, next, ending, secret])).toBe("ffpub_2");
    expect(publicKeyOf([replaced, secret])).toBeUndefined();
  });
});

describe("addresses", () => {
  test("whatever an asset is called, its address leads back to it", () => {
    for (const id of ["42", "a/b", "ä ö?#%", "../x", "a&brand=other", '"><script>']) {
      const path = assetAddress(id, "abc").split("?")[0] ?? "";
      expect(path).toMatch(/^\/assets\/[^/?#]*$/);
      expect(assetOf(path)).toBe(id);
    }
  });
  test("the brand stays in every address", () => {
    expect(addressOf("/ledger", "a b")).toBe("/ledger?brand=a+b");
    expect(addressOf("/ledger", "")).toBe("/ledger");
  });
  test("a change keeps what is not changed and takes away what is empty", () => {
    expect(changed(new URLSearchParams("brand=a&section=7&tag=x"), { section: "", sort: "uniques" })).toBe(
      "brand=a&tag=x&sort=uniques",
    );
  });
  test("only addresses of pages are followed", () => {
    expect(safeAddress("https://www.example.com/1")).toBe("https://www.example.com/1");
    for (const bad of [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "data:text/html,x",
      "/2",
      "//x",
      "",
      null,
    ]) {
      expect(safeAddress(bad)).toBeUndefined();
    }
  });
  test("after signing in nobody is led away", () => {
    expect(ownPath("/most-read?brand=a&period=day")).toBe("/most-read?brand=a&period=day");
    for (const bad of [
      null,
      "",
      "//evil.example",
      "https://evil.example",
      "/\\evil.example",
      "/nowhere",
      "/sign-in",
    ]) {
      expect(ownPath(bad)).toBe("/");
    }
  });
  test("every page of the menu exists, and nothing else does", () => {
    for (const page of PAGES)
      expect(pageOf(/^\/.+\/$/.test(page.path) ? `${page.path}7` : page.path)).toBe(page);
    expect(pageOf("/nowhere")).toBeUndefined();
  });
});

describe("filters", () => {
  test("what an address says is what is asked", () => {
    const wanted = wantedFrom(
      new URLSearchParams("period=week&section=7,8&include=bot,ai&sort=uniques&limit=50"),
      PERIODS,
    );
    expect(addressWith("/v1/popular", questionOf("abc", wanted))).toBe(
      "/v1/popular?brand=abc&period=week&sort=uniques&limit=50&include=bot&include=ai&section=7%2C8",
    );
    expect(filtersSaid(wanted)).toEqual(["Section: 7,8", "with bot, ai"]);
  });
  test("nonsense in an address becomes what is usual", () => {
    const days = wantedFrom(new URLSearchParams("from=2026-11-15&to=2026-11-16"), PERIODS, "Europe/Helsinki");
    expect([days.from, days.to]).toEqual(["2026-11-14T22:00:00Z", "2026-11-16T22:00:00Z"]);
    const odd = wantedFrom(new URLSearchParams("from=yester&to=2026-99-99"), PERIODS, "Europe/Helsinki");
    expect([odd.from, odd.to]).toEqual(["yester", "2026-99-99"]);
    const wanted = wantedFrom(new URLSearchParams("period=aeon&limit=9999&sort=luck&include=you"), PERIODS);
    expect(wanted).toMatchObject({ period: "day", limit: "25", sort: "hits", include: [] });
  });
  test("a span takes the place of a period", () => {
    const wanted = wantedFrom(
      new URLSearchParams("period=day&from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z"),
      PERIODS,
    );
    expect(wanted).toMatchObject({ period: "", from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" });
  });
  test("all labels are asked for by one word", () => {
    const all = wantedFrom(new URLSearchParams("include=bot,ai,prefetch,suspected,blocked"), PERIODS);
    expect(questionOf("abc", all).include).toEqual(["all"]);
  });
  test("a day begins where the brand is, on both sides of a change of clocks", () => {
    expect(dayStart("2026-11-15", "Europe/Helsinki")).toBe("2026-11-14T22:00:00Z");
    expect(dayStart("2026-03-29", "Europe/Helsinki")).toBe("2026-03-28T22:00:00Z");
    expect(dayStart("2026-03-30", "Europe/Helsinki")).toBe("2026-03-29T21:00:00Z");
    expect(dayStart("2026-11-15", "Asia/Kathmandu")).toBe("2026-11-14T18:15:00Z");
    expect(dayStart("never", "UTC")).toBe("");
    for (const zone of ["Europe/Helsinki", "Asia/Kolkata", "Pacific/Chatham", "Australia/Lord_Howe", "UTC"]) {
      for (const day of ["2026-01-01", "2026-04-05", "2026-09-27", "2026-10-25"]) {
        expect(dayOf(dayStart(day, zone), zone)).toBe(day);
      }
    }
  });
  test("a comma of a value is told apart from one between values", () => {
    expect(escaped("a,b\\c")).toBe("a\\,b\\\\c");
  });
  test("a small line has enough windows to have a shape", () => {
    expect(PERIODS.map((period) => sparkOf(period).grain)).toEqual(["minute", "hour", "day"]);
  });
});

describe("finding", () => {
  test("every word has to be in the title or the id", () => {
    const items = [item("1", "What the harbour saw"), item("harbour-2", null), item("3", "Storm")];
    expect(found(items, "HARBOUR").map((one) => one.assetId)).toEqual(["1", "harbour-2"]);
    expect(found(items, "harbour saw").map((one) => one.assetId)).toEqual(["1"]);
    expect(found(items, "  ")).toEqual([]);
  });
});

describe("brands", () => {
  const known = [
    { brand: "a", title: "", zone: "UTC" },
    { brand: "b", title: "The B", zone: "Europe/Helsinki" },
  ];
  test("the address decides, else the first", () => {
    expect(brandOf("b", known)?.title).toBe("The B");
    expect(brandOf("", known)?.brand).toBe("a");
    expect(brandOf("x", known)).toEqual({ brand: "x", title: "", zone: "UTC" });
    expect(brandOf("", [])).toBeNull();
  });
  test("a brand of one's own comes before the same brand as strangers see it", () => {
    const own = [{ brand: "b", title: "The B", zone: "UTC", role: "admin" }];
    expect(knownBrands(own, known).map((one) => [one.brand, one.role])).toEqual([
      ["b", "admin"],
      ["a", undefined],
    ]);
  });
  test("roles may do what lesser ones may", () => {
    expect(mayDo("owner", "admin")).toBe(true);
    expect(mayDo("editor", "editor")).toBe(true);
    expect(mayDo("editor", "admin")).toBe(false);
    expect(mayDo("viewer", "editor")).toBe(false);
    expect(mayDo(undefined, "editor")).toBe(false);
  });
});

describe("lines to copy", () => {
  test("a brand's name cannot end its attribute or its word", () => {
    expect(snippetOf("https://f.example", '"><script>')).toBe(
      '<script async src="https://f.example/footfall.js" data-brand="&quot;>&lt;script>"></script>',
    );
    expect(snippetOf("https://f.example", "abc", "ffpub_1")).toContain('data-key="ffpub_1"');
    expect(commandOf("https://f.example", "abc", "ffpub_1")).toContain("hits?key=ffpub_1");
    expect(commandOf("https://f.example", "abc")).toMatch(/^curl -A 'Mozilla/);
    expect(commandOf("https://f.example", "o'brien; rm -rf")).toContain(`o'\\''brien; rm -rf`);
  });
  test("the line of the box keeps room for as many titles as it shows", () => {
    expect(boxOf("https://f.example", "abc", "day", 5)).toBe(
      '<div style="min-height:21em"><script async src="https://f.example/widget.js" data-brand="abc" data-period="day" data-limit="5"></script></div>',
    );
    expect(boxOf("https://f.example", '"><script>', "week", 3)).toContain('13.4em"><script async');
    expect(boxOf("https://f.example", '"><script>', "week", 3)).toContain('data-brand="&quot;>&lt;script>"');
  });
});

describe("small lines", () => {
  test("stay inside their box and have words", () => {
    const path = sparkPath([0, 5, 10, 5], 100, 24);
    const numbers = [...path.matchAll(/[\d.]+/g)].map(Number);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThanOrEqual(100);
    expect(sparkPath([1], 100, 24)).toBe("");
    expect(sparkWords([1, 1, 9])).toBe("rising; at most 9 in one window, 9 in the last");
    expect(sparkWords([9, 9, 0])).toContain("falling");
  });
});

describe("asking", () => {
  test("patience grows, is bounded and differs from one browser to the next", () => {
    expect(patience(0, 5_000, 0.5)).toBe(5_000);
    expect(patience(1, 5_000, 0.5)).toBe(2_000);
    expect(patience(20, 5_000, 0.5)).toBe(10_000);
    expect(patience(20, 5_000, 0)).toBeLessThan(patience(20, 5_000, 1));
  });
  test("a problem says what is wrong, and of which field", () => {
    const problem = problemFrom(400, { detail: "limit: '0' is not from 1 to 100", field: "limit" });
    expect([problem.status, problem.message, problem.field]).toEqual([
      400,
      "“0” is not from 1 to 100.",
      "limit",
    ]);
    expect(problemFrom(502, null).message).toBe("The server answers 502.");
  });
});
