import { describe, expect, test } from "vitest";
import { besideLastWeek, drawn, isYoung, openEnd, soFar, sparkValues, story } from "../minutes.ts";
import type { Point, Series } from "../shapes.ts";
import { sparkPath, sparkWords } from "../sparks.ts";

// Hours up to the open one, the last of them.
function hours(...hits: number[]): Point[] {
  return hits.map((one, place) => ({
    from: `2026-11-16T${String(place).padStart(2, "0")}:00:00Z`,
    hits: one,
    open: place === hits.length - 1,
  }));
}

function series(points: Point[], compared: [number, number] = [0, 0]): Series {
  const [hits, hitsBefore] = compared;
  const total = points.reduce((sum, point) => sum + (point.hits ?? 0), 0);
  return {
    ...{ brand: "abc", grain: "hour", zone: "UTC", from: "", to: "", hits: total, points },
    lastWeek: { from: "", to: "", points: [], compared: { points: 1, hits, hitsBefore, change: null } },
  };
}

describe("an asset's first hours", () => {
  test("the open window is drawn from the whole one before it, and only there", () => {
    expect(drawn(hours(0, 4, 1355), "hits")).toEqual([0, 4, null]);
    expect(soFar(hours(0, 4, 1355), "hits")).toEqual([null, 4, 1355]);
    expect(soFar(hours(7), "hits")).toEqual([7]);
    expect(openEnd(soFar(hours(0, 4, 1355), "hits"))).toEqual([2]);
    expect(openEnd([null, null])).toEqual([]);
    expect(soFar([{ from: "2026-11-16T00:00:00Z", hits: 3 }], "hits")).toEqual([null]);
  });
  test("a small line rises with the open window and never falls with it", () => {
    expect(sparkValues(hours(0, 0, 1355))).toEqual([0, 0, 1355]);
    expect(sparkWords(sparkValues(hours(0, 0, 1355)))).toBe(
      "rising; at most 1355 in one window, 1355 in the last",
    );
    expect(sparkPath(sparkValues(hours(0, 1355)), 100, 24)).toBe("M0.0 23.0L100.0 1.0");
    expect(sparkValues(hours(5, 9, 2))).toEqual([5, 9]);
  });
  test("hits of this hour and the last are a story of minutes", () => {
    expect(isYoung(series(hours(0, 0, 0, 12)))).toBe(true);
    expect(isYoung(series(hours(0, 0, 3, 12)))).toBe(true);
    expect(isYoung(series(hours(0, 1, 3, 12)))).toBe(false);
    expect(isYoung(series(hours(0, 0, 0, 0)))).toBe(false);
    expect(isYoung({ ...series(hours(0, 0, 0, 12)), grain: "minute" })).toBe(false);
  });
  test("nobody reads that there was nothing either time beside hits", () => {
    expect(besideLastWeek(series(hours(0, 0, 1355)))).toBe("no whole hour to compare yet");
    expect(besideLastWeek(series(hours(0, 0, 0)))).toBe("none either time");
    expect(besideLastWeek(series(hours(0, 50, 2), [50, 0]))).toBe("nothing to compare with");
    expect(besideLastWeek(series(hours(0, 50, 2), [50, 100]))).toBe("−50%");
  });
  test("the open window is in the chart's words", () => {
    expect(story(hours(1355), "hits", String)).toBe("1355 in the open window");
    expect(story(hours(0, 1355), "hits", () => "00:00")).toBe(
      "on average 0, most 0 at 00:00, last 0, 1355 in the open window",
    );
  });
});
