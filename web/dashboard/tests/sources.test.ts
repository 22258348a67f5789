import { describe, expect, test } from "vitest";
import { hoursBack, sourceName } from "../sources.ts";

describe("sources", () => {
  test("words of ours are told in full, and hosts are left as they are", () => {
    expect(sourceName("direct")).toBe("Direct (no referrer)");
    expect(sourceName("internal")).toBe("Our own pages");
    expect(sourceName("google.com")).toBe("google.com");
    expect(sourceName("constructor")).toBe("constructor");
  });

  test("a span begins at a full hour and is the same text all hour", () => {
    const noon = Date.UTC(2026, 10, 15, 12, 0, 0);
    expect(hoursBack(noon, 2)).toBe("2026-11-15T11:00:00.000Z");
    expect(hoursBack(noon + 3_599_999, 2)).toBe("2026-11-15T11:00:00.000Z");
    expect(hoursBack(noon + 3_600_000, 1)).toBe("2026-11-15T13:00:00.000Z");
  });
});
