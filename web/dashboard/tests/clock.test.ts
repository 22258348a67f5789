import { describe, expect, test } from "vitest";
import { aheadBy, LastHit, newestMinute } from "../clock.ts";

const HERE = Date.parse("2026-11-16T10:00:00.700Z");

describe("the server's clock", () => {
  test("a tab whose clock is two minutes off learns it from an answer", () => {
    expect(aheadBy("Mon, 16 Nov 2026 10:02:00 GMT", null, HERE, 0)).toBe(119_800);
    expect(aheadBy("Mon, 16 Nov 2026 09:58:00 GMT", null, HERE, 0)).toBe(-120_200);
  });
  test("whole seconds and slow answers are no reason to jump", () => {
    expect(aheadBy("Mon, 16 Nov 2026 10:00:00 GMT", null, HERE, 0)).toBe(0);
    expect(aheadBy("Mon, 16 Nov 2026 10:02:01 GMT", null, HERE, 119_800)).toBe(119_800);
  });
  test("an answer out of a cache is as old as the cache says", () => {
    expect(aheadBy("Mon, 16 Nov 2026 09:59:30 GMT", "30", HERE, 0)).toBe(0);
  });
  test("an answer without a date changes nothing", () => {
    expect(aheadBy(null, null, HERE, 7)).toBe(7);
    expect(aheadBy("soon", null, HERE, 7)).toBe(7);
  });
});

describe("the last hit by minutes", () => {
  const minute = (at: string, hits: number) => ({ from: `2026-11-16T${at}:00Z`, hits });
  const ms = (at: string) => Date.parse(`2026-11-16T${at}Z`);

  test("is in the newest minute that has one", () => {
    expect(newestMinute([minute("10:00", 3), minute("10:01", 0)])).toBe("2026-11-16T10:00:00Z");
    expect(newestMinute([minute("10:00", 0)])).toBeNull();
  });
  test("is no older than the question before which a count grew", () => {
    const last = new LastHit();
    expect(last.take([minute("10:00", 0)], ms("10:00:05"))).toBeNull();
    expect(last.take([minute("10:00", 2)], ms("10:00:10"))).toBe("2026-11-16T10:00:05.000Z");
    expect(last.take([minute("10:00", 2)], ms("10:00:15"))).toBe("2026-11-16T10:00:05.000Z");
    expect(last.take([minute("10:00", 3)], ms("10:00:20"))).toBe("2026-11-16T10:00:15.000Z");
    expect(last.take([minute("10:00", 3), minute("10:01", 1)], ms("10:01:30"))).toBe(
      "2026-11-16T10:01:00.000Z",
    );
    expect(last.take([minute("10:04", 0)], ms("10:04:30"))).toBe("2026-11-16T10:01:00.000Z");
  });
});
