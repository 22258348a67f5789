import { describe, expect, test } from "vitest";
import { differing, questionOf, signed } from "../trials.ts";

describe("a trial", () => {
  const now = new Date("2026-11-16T12:00:00Z");
  test("asks for what the form says, and leaves out what it leaves empty", () => {
    const values = {
      repeatsMax: "5",
      repeatsMinutes: "",
      paths: "/preview/*\n/draft",
      span: "day",
      mode: "hold",
    };
    expect(questionOf(values, now)).toEqual({
      rules: { repeatsMax: 5, paths: ["/preview/*", "/draft"] },
      from: "2026-11-15T12:00:00.000Z",
      to: "2026-11-16T12:00:00.000Z",
      mode: "hold",
    });
    expect(questionOf({ referrerSpam: "spam.example, more.example" }, now)).toMatchObject({
      rules: { paths: [], referrerSpam: ["spam.example", "more.example"] },
      from: "2026-11-16T11:00:00.000Z",
    });
  });
  test("tells what differs, most first, with a sign", () => {
    const rows = [
      { name: "a", before: 1, after: 1 },
      { name: "b", before: 1, after: 3 },
      { name: "c", before: 9, after: 0 },
    ];
    expect(differing(rows).map((row) => row.name)).toEqual(["c", "b"]);
    expect([signed(1_234), signed(-9), signed(0)]).toEqual(["+1,234", "−9", "0"]);
  });
});
