// The feed with a clock, a tab and a server that the test moves.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveFeed } from "../live.ts";
import type { Point } from "../shapes.ts";

const tab = Object.assign(new EventTarget(), {
  hidden: false,
  body: { dataset: { facts: '{"live":true}' } },
});
const SERIES = { points: [] };
let [asked, isThere, tells] = [0, true, false];
let isRefused = false;
let aheadMs = 0; // the server's clock, before that of the tab
let points: Point[] = [];
let sources: FakeSource[] = [];

class FakeSource extends EventTarget {
  isClosed = false;
  constructor() {
    super();
    sources.push(this);
    setTimeout(() => (tells ? this.tell() : this.dispatchEvent(new Event("error"))), 10);
  }
  tell(): void {
    const now = { list: { items: [] }, minutes: SERIES, visitors: SERIES, lastHit: null };
    if (!this.isClosed) this.dispatchEvent(new MessageEvent("now", { data: JSON.stringify(now) }));
  }
  close(): void {
    this.isClosed = true;
  }
}

function look(isLooking: boolean): void {
  tab.hidden = !isLooking;
  tab.dispatchEvent(new Event("visibilitychange"));
}

async function pass(seconds: number): Promise<number> {
  const before = asked;
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  return asked - before;
}

async function opened(): Promise<LiveFeed> {
  const { LiveFeed } = await import("../live.ts");
  const feed = new LiveFeed("abc");
  await pass(1);
  return feed;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", tab);
  vi.stubGlobal("EventSource", FakeSource);
  vi.stubGlobal("fetch", async () => {
    asked += 1;
    if (!isThere) throw new TypeError("no answer");
    if (isRefused) return new Response(null, { status: 400 });
    const headers = {
      "content-type": "application/json",
      date: new Date(Date.now() + aheadMs).toUTCString(),
    };
    return new Response(JSON.stringify({ points }), { headers });
  });
  [isRefused, aheadMs, points] = [false, 0, []];
  [asked, isThere, tells, sources] = [0, true, false, []];
  tab.hidden = false;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a page that asks", () => {
  test("goes on after a short look at another tab", async () => {
    const feed = await opened();
    await pass(20);
    expect(feed.state.value).toBe("polling");
    look(false);
    await pass(3);
    look(true);
    expect(await pass(20)).toBeGreaterThanOrEqual(9);
    feed.close();
    expect(await pass(60)).toBe(0);
  });

  test("comes back from a server that went while nobody looked", async () => {
    const feed = await opened();
    await pass(20);
    isThere = false;
    await pass(10);
    expect(feed.state.value).toBe("gone");
    look(false);
    await pass(3);
    isThere = true;
    look(true);
    await pass(1);
    expect(feed.state.value).toBe("polling");
    feed.close();
  });

  test("asks once at a time, however often somebody looks away and back", async () => {
    const feed = await opened();
    await pass(20);
    for (let times = 0; times < 10; times += 1) {
      look(false);
      look(true);
    }
    await pass(1);
    expect(await pass(20)).toBeLessThanOrEqual(15); // three requests every five seconds
    feed.close();
  });

  test("rests when nobody looks, and asks at once when somebody does", async () => {
    const feed = await opened();
    look(false);
    await pass(21);
    expect(feed.state.value).toBe("paused");
    expect(await pass(120)).toBe(0);
    const before = asked;
    look(true);
    await pass(1);
    expect(asked).toBeGreaterThan(before);
    feed.close();
  });

  test("asks what is refused as wrong no second time", async () => {
    isRefused = true;
    const feed = await opened();
    expect(feed.trouble.value?.message).toBe("The server answers 400.");
    expect(await pass(120)).toBe(0);
    feed.close();
  });

  test("listens again to a server that tells again", async () => {
    const feed = await opened();
    await pass(20);
    tells = true;
    await pass(70);
    expect(feed.state.value).toBe("live");
    feed.close();
  });
});

describe("the last hit", () => {
  test("is known to some seconds where the page asks, by the server's clock", async () => {
    vi.setSystemTime("2026-11-16T10:00:00Z");
    aheadMs = 120_000;
    points = [{ from: "2026-11-16T10:01:00Z", hits: 4 }];
    const feed = await opened();
    expect(feed.now.value?.lastHit).toBe("2026-11-16T10:01:00.000Z");
    await pass(30);
    points = [...points, { from: "2026-11-16T10:02:00Z", hits: 1, open: true }];
    await pass(6);
    const { serverNow } = await import("../clock.ts");
    const first = serverNow() - Date.parse(feed.now.value?.lastHit ?? "");
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(13_000);
    const before = feed.now.value?.lastHit;
    await pass(10);
    expect(feed.now.value?.lastHit).toBe(before); // Nothing came since.
    feed.close();
  });
});

describe("a page that is told", () => {
  test("keeps its stream through a short look at another tab", async () => {
    tells = true;
    const feed = await opened();
    look(false);
    await pass(3);
    look(true);
    await pass(30);
    expect([sources.length, feed.state.value, asked]).toEqual([1, "live", 0]);
    feed.close();
  });

  test("stops listening when nobody looks, though there is news every second", async () => {
    tells = true;
    const feed = await opened();
    look(false);
    for (let second = 0; second < 25; second += 1) {
      sources[0]?.tell();
      await pass(1);
    }
    expect([sources[0]?.isClosed, feed.state.value]).toEqual([true, "paused"]);
    feed.close();
  });

  test("finds a dead connection by its silence", async () => {
    tells = true;
    const feed = await opened();
    await pass(80);
    expect(sources.length).toBe(2);
    feed.close();
  });
});
