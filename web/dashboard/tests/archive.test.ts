// The archive in words and days: what is said of a request, which days can be chosen, how two pictures lie beside each other.
import { describe, expect, test } from "vitest";
import { type Band, bandWords, type Comparison, cuts, inLines, shortened, verdictWords } from "../bands.ts";
import { dayAfterKey, dayIn, dayWords, monthsOf, yearsOf } from "../calendar.ts";
import {
  type Capture,
  compareAddress,
  detailsOf,
  everyMs,
  isAddress,
  isNews,
  type Line,
  microseconds,
  ownAddress,
  shortUrl,
  titleOf,
  tombstoneIn,
  type Wish,
  wishWords,
} from "../captures.ts";
import { deedWords } from "../deeds.ts";
import { pageOf, pageOfBrand } from "../routes.ts";
import { everyWords, ruleWords, toldWords, type Watch, watchFrom } from "../watches.ts";

const WISH: Wish = {
  id: "r1",
  url: "https://example.com/",
  typed: "example.com",
  state: "failed",
  attempts: 3,
  reason: "too-slow",
  says: "The page took too long.",
  capture: null,
  at: "2026-11-17T12:00:00.000001Z",
  by: "Ann",
};
const LINE: Line = {
  id: "c1",
  url: "https://example.com/story/",
  finalUrl: "https://example.com/story/",
  title: " ",
  at: "2026-11-17T12:00:00.123456Z",
  status: 200,
  heightPx: 4_000,
  sameAs: null,
  isShared: false,
  isHeld: false,
  by: "Ann",
};
const CAPTURE: Capture = {
  ...LINE,
  tiles: [],
  widthPx: 1_280,
  thumbnail: "",
  text: "",
  wacz: "",
  replay: null,
  keywords: [],
  language: "",
  tookMs: 2_340,
  timings: { load: 1_000, scroll: 900 },
  pendingImages: 0,
  stop: "height",
  bytes: 1_200_000,
  outsideUrl: null,
  canonicalUrl: null,
  heldBy: null,
  pixelsSha256: "",
  permanent: "",
};

describe("requests and captures", () => {
  test("a failed request says why, and how often it was tried; one that is done says nothing more", () => {
    expect(wishWords(WISH)).toBe("The page took too long. · tried 3 times");
    expect(wishWords({ ...WISH, state: "done" })).toBe("");
  });
  test("what somebody waits for is news however old it is, and what ended yesterday is not", () => {
    const now = Date.parse("2026-11-18T13:00:00Z");
    expect(isNews({ ...WISH, state: "pending" }, now)).toBe(true);
    expect(isNews(WISH, now)).toBe(false);
    expect(isNews(WISH, now - 3_600_000 * 2)).toBe(true);
  });
  test("what moves is looked at more often than what rests", () => {
    expect(everyMs([{ ...WISH, state: "running" }])).toBeLessThan(everyMs([WISH]));
    expect(everyMs(undefined)).toBe(everyMs([]));
  });
  test("a page without a title is called by its address, without what all addresses have", () => {
    expect(titleOf(LINE)).toBe("https://example.com/story/");
    expect(shortUrl(LINE.url)).toBe("example.com/story");
    expect(shortUrl(`https://example.com/${"a".repeat(200)}`)).toHaveLength(90);
  });
  test("an address is told from words", () => {
    for (const one of ["example.com", "https://x/y", "a.b.co:8080/p?q=1", "localhost:9000/x"])
      expect(isAddress(one), one).toBe(true);
    for (const one of ["harbour", "harbour reopens", "what is it?", "example.com is down", ""])
      expect(isAddress(one), one).toBe(false);
  });
  test("only an address of our own is loaded into the page", () => {
    expect(ownAddress("/v1/archive/captures/x/tiles/0?brand=a")).toBeDefined();
    for (const one of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example/",
      "javascript:alert(1)",
      "",
    ])
      expect(ownAddress(one), one).toBeUndefined();
  });
  test("the older of two is on the left, whichever was open", () => {
    const newer = { ...LINE, id: "c2", at: "2026-11-17T12:00:00.123457Z" };
    expect(compareAddress(newer, LINE, "herald")).toBe("/archive/compare?brand=herald&a=c1&b=c2");
    expect(compareAddress(LINE, newer, "herald")).toBe("/archive/compare?brand=herald&a=c1&b=c2");
  });
  test("details have the microseconds, and nothing that is empty", () => {
    const told = Object.fromEntries(detailsOf(CAPTURE));
    expect(told.Moment).toBe("2026-11-17 12:00:00.123456 UTC");
    expect(told.Scrolled).toBe("until it was too tall to go on");
    expect(told["Of that"]).toBe("load 1,000 ms, scroll 900 ms");
    expect(told).not.toHaveProperty("Language");
    expect(microseconds("2026-11-17T12:00:00.000001Z")).toBe("2026-11-17 12:00:00.000001 UTC");
  });
  test("a tombstone is read wherever the refusal has it, and only texts of it", () => {
    expect(tombstoneIn({ tombstone: { why: "asked by the author", removedBy: 7 } }).why).toBe(
      "asked by the author",
    );
    expect(tombstoneIn({ why: "by law" }).why).toBe("by law");
    expect(tombstoneIn({ why: { html: "x" } }).why).toBeUndefined();
  });
});

describe("the calendar", () => {
  const counts = { "2026-02-28": 2, "2026-11-01": 1, "2026-11-17": 3 };
  test("a month begins under its weekday, has all its days, and only some have captures", () => {
    const months = monthsOf(2026, counts);
    const november = months[10];
    expect(november?.name).toBe("November");
    expect(november?.before).toBe(6); // a Sunday
    expect(november?.days).toHaveLength(30);
    expect(november?.days.filter(({ count }) => count).map(({ date }) => date)).toEqual([
      "2026-11-01",
      "2026-11-17",
    ]);
    expect(monthsOf(2028, {})[1]?.days).toHaveLength(29);
  });
  test("keys go to days with captures alone, and nowhere from the last", () => {
    expect(dayAfterKey("ArrowRight", "2026-02-28", counts)).toBe("2026-11-01");
    expect(dayAfterKey("ArrowLeft", "2026-11-17", counts)).toBe("2026-11-01");
    expect(dayAfterKey("ArrowDown", "2026-11-01", counts)).toBe("2026-11-17");
    expect(dayAfterKey("ArrowUp", "2026-11-17", counts)).toBe("2026-11-01");
    expect(dayAfterKey("End", "2026-02-28", counts)).toBe("2026-11-17");
    expect(dayAfterKey("ArrowRight", "2026-11-17", counts)).toBeNull();
    expect(dayAfterKey("a", "2026-11-17", counts)).toBeNull();
  });
  test("years go from the newest to the oldest", () => {
    expect(yearsOf("2024-05-01", "2026-11-17")).toEqual([2026, 2025, 2024]);
    expect(yearsOf("2026-11-17T12:00:00Z", "2026-11-17T12:00:00Z")).toEqual([2026]);
    expect(yearsOf(null, null)).toEqual([]);
  });
  test("a day is said aloud whole, and only a day is one", () => {
    expect(dayWords("2026-11-17")).toBe("Tuesday, 17 November 2026");
    expect(dayIn("2026-11-17T00:00")).toBe("");
  });
});

describe("two pictures", () => {
  const tiles = [
    { heightPx: 1_000, url: "/0" },
    { heightPx: 1_000, url: "/1" },
    { heightPx: 500, url: "/2" },
  ];
  const band: Band = { kind: "added", aTop: 900, aHeight: 0, bTop: 900, bHeight: 200, boxes: [] };
  const told: Comparison = {
    a: LINE,
    b: LINE,
    isSame: false,
    text: [],
    picture: { bands: [band], changedShare: 0.08 },
  };
  test("a band across two tiles is made of both, placed in parts of its own height", () => {
    expect(cuts(tiles, 900, 200)).toEqual([
      { url: "/0", top: -4.5, height: 5 },
      { url: "/1", top: 0.5, height: 5 },
    ]);
    expect(cuts(tiles, 2_000, 500).map(({ url }) => url)).toEqual(["/2"]);
  });
  test("a band is told to whoever does not see it", () => {
    expect(bandWords(band)).toBe("Only in the newer one: 200 px from 900 px on");
  });
  test("what differs is said in a sentence", () => {
    expect(verdictWords(told)).toBe("8% of the picture differs; the texts are the same.");
    expect(verdictWords({ ...told, isSame: true })).toBe("Nothing differs: picture and text are the same.");
    expect(
      verdictWords({
        ...told,
        text: [{ kind: "added", text: "x" }],
        picture: { bands: [], changedShare: 0 },
      }),
    ).toBe("The pictures are the same; the texts differ.");
  });
  test("what went and what came in its place are lines of their own", () => {
    const told = inLines([
      { kind: "removed", text: "It is shut." },
      { kind: "added", text: "It reopens.\n" },
      { kind: "equal", text: "More follows." },
    ]);
    expect(told.map(({ text }) => text)).toEqual(["It is shut.\n", "It reopens.\n", "More follows."]);
  });
  test("what is alike far from any difference is left out, and said so", () => {
    const shown = shortened([
      { kind: "equal", text: "harbour ".repeat(100) },
      { kind: "added", text: "new" },
      { kind: "equal", text: "b" },
    ]);
    expect(shown.map(({ kind }) => kind)).toEqual(["skipped", "equal", "added", "equal"]);
    expect(shown[0]?.text).toBe("647 characters alike");
    expect(shown[1]?.text.trim().split(" ")).toHaveLength(19); // and no half word
  });
});

describe("the watch list", () => {
  test("a time is said as people say it", () => {
    expect([1, 15, 60, 120, 1_440, 90].map(everyWords)).toEqual([
      "every minute",
      "every 15 minutes",
      "every hour",
      "every 2 hours",
      "every day",
      "every 90 minutes",
    ]);
  });
  test("a form becomes a rule, and a rule a sentence", () => {
    const page = watchFrom({
      kind: "page",
      url: " https://example.com/ ",
      everyMinutes: "15",
      onlyChanged: "on",
      "tells al_1": "on",
    });
    expect(page).toEqual({
      rule: { kind: "page", url: "https://example.com/", everyMinutes: 15, onlyChanged: true },
      alert: { places: ["al_1"] },
    });
    expect(ruleWords(page.rule as Watch["rule"])).toBe(
      "example.com, every 15 minutes, kept only when its text changed",
    );
    const popular = watchFrom({
      kind: "popular",
      top: "10",
      period: "hour",
      section: "",
      everyMinutes: "60",
    });
    expect(popular.rule).toEqual({ kind: "popular", period: "hour", top: 10, everyMinutes: 60 });
    expect(toldWords(["al_1", "al_2"], new Map([["al_1", "Front page"]]))).toBe(
      "A change is told by Front page, al_2",
    );
    expect(ruleWords(popular.rule as Watch["rule"])).toBe("The 10 most read (hour), every hour");
  });
});

test("acts of the archive are told by the page or the name, and with the reason", () => {
  const deed = { at: "2026-11-17T12:00Z", by: "Ann Editor (p_1)", subject: "01ABC" };
  const removed = { ...deed, act: "capture-removed", details: { url: LINE.url, why: "asked by the author" } };
  expect(deedWords(removed)).toEqual({
    act: "removed the capture of",
    subject: LINE.url,
    more: "asked by the author",
  });
  const watched = { ...deed, act: "watch-changed", details: { name: "Front page", isOn: false } };
  expect(deedWords(watched)).toEqual({
    act: "changed on the watch list",
    subject: "Front page",
    more: "switched off",
  });
});

test("pages of the archive are pages, and another brand has other captures", () => {
  expect(pageOf("/archive/capture/01ABC")?.name).toBe("Capture");
  expect(pageOf("/archive/page")?.name).toBe("Captures of a page");
  expect(pageOf("/archive/else")).toBeUndefined();
  expect(pageOfBrand("/archive/capture/01ABC")).toBe("/archive");
  expect(pageOfBrand("/archive/watches")).toBe("/archive/watches");
});
