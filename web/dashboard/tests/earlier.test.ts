import { describe, expect, test } from "vitest";
import { type Compared, changeSaid, earlier, moveOf } from "../earlier.ts";
import type { Share, Shares } from "../shapes.ts";

function shares(sections: Record<string, number>, more: Partial<Shares> = {}): Shares {
  const items = Object.entries(sections).map(([sectionId, hits], place): Share => {
    return { rank: place + 1, sectionId, hits, share: 0 };
  });
  const hits = items.reduce((sum, one) => sum + one.hits, 0);
  return {
    from: "2026-11-15T14:00Z",
    to: "2026-11-16T14:00Z",
    exact: true,
    hits,
    hitsBefore: 0,
    items,
    ...more,
  };
}

function compared(now: Shares, before: Shares): Compared {
  return { closed: now, before, span: earlier(now.from, now.to) };
}

const nameOf = (one: Share) => String(one.sectionId);

describe("an earlier time", () => {
  test("a day or less is compared with the same hours yesterday, and never with itself", () => {
    expect(earlier("2026-11-15T14:00Z", "2026-11-16T14:00Z")).toEqual({
      from: "2026-11-14T14:00:00Z",
      to: "2026-11-15T14:00:00Z",
      name: "the same time yesterday",
      brief: "yesterday",
    });
    expect(earlier("2026-11-16T14:27Z", "2026-11-16T14:32Z").from).toBe("2026-11-15T14:27:00Z");
  });
  test("more is compared with the same days of as many weeks before", () => {
    const week = earlier("2026-11-09T00:00Z", "2026-11-16T00:00Z");
    expect([week.from, week.to, week.brief]).toEqual([
      "2026-11-02T00:00:00Z",
      "2026-11-09T00:00:00Z",
      "last week",
    ]);
    const month = earlier("2026-10-16T00:00Z", "2026-11-16T00:00Z");
    expect([month.to, month.brief]).toEqual(["2026-10-12T00:00:00Z", "5 weeks before"]);
  });
  test("what it is compared with is named, in a sentence that makes sense", () => {
    const now = shares({ news: 150 });
    expect(changeSaid(compared(now, shares({ news: 100 })))).toBe("+50% on the same time yesterday");
    expect(changeSaid(compared(now, shares({ news: 150 })))).toBe("as at the same time yesterday");
    expect(changeSaid(compared(now, shares({})))).toBe("nothing was counted at the same time yesterday");
    const cut = shares({ news: 3 }, { keptSince: "2026-11-15T00:00Z" });
    expect(changeSaid(compared(now, cut))).toBe("not all of the same time yesterday is kept");
    expect(changeSaid(undefined)).toBe("");
  });
  test("a section's rank and hits are compared with the same time, too", () => {
    const both = compared(shares({ news: 30, sports: 20, culture: 5 }), shares({ sports: 40, news: 10 }));
    expect(moveOf(both, nameOf, "news")).toEqual({ said: "+200%", rank: 1 });
    expect(moveOf(both, nameOf, "sports")).toEqual({ said: "−50%", rank: -1 });
    expect(moveOf(both, nameOf, "culture")).toEqual({ said: "new", rank: null });
    expect(moveOf(both, nameOf, "economy")).toEqual({ said: "–" });
    expect(moveOf(compared(shares({ news: 30 }), shares({})), nameOf, "news")).toEqual({ said: "–" });
    expect(moveOf(undefined, nameOf, "news")).toEqual({ said: "–" });
  });
});
