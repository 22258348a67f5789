// A migration in words: never done before it is, silence is noticed, and the next step fits.
import { describe, expect, test } from "vitest";
import {
  barWords,
  commandOf,
  isSilent,
  lasting,
  type Migration,
  nextSteps,
  paceWords,
  shareWords,
  stateWords,
  timeLeft,
} from "../migrations.ts";

const DONE: Migration = {
  entity: "metric",
  startedAt: "2026-11-15T14:30Z",
  heardAt: "2026-11-15T14:31Z",
  ageMs: 600,
  endedAt: null,
  all: 1_000,
  migrated: 1_000,
  moving: 0,
  left: 0,
  setAside: 0,
  share: 1,
  perSecond: 0,
  timeLeftMs: 0,
  lag: 0,
  lagMs: 0,
  differences: 0,
  behind: 0,
  blocked: [],
};
const HALF: Migration = {
  ...DONE,
  migrated: 500,
  moving: 20,
  left: 480,
  share: 0.5,
  perSecond: 250,
  timeLeftMs: 2_000,
  differences: null,
};
const acts = (one: Migration) => nextSteps(one).map(({ command }) => command);

describe("a bar", () => {
  test("says in words what it shows", () => {
    expect(barWords(HALF)).toBe("500 of 1,000 moved, 480 left, 20 moving");
    expect(barWords({ ...DONE, migrated: 997, setAside: 3 })).toBe("997 of 1,000 moved, 3 set aside");
  });
  test("is full only when all is moved", () => {
    expect(shareWords(HALF)).toBe("50.0 %");
    expect(shareWords({ ...HALF, migrated: 999_999, all: 1_000_000, share: 0.999999 })).toBe("99.9 %");
    expect(shareWords(DONE)).toBe("100.0 %");
    expect(shareWords({ ...DONE, all: 0, migrated: 0 })).toBe("100.0 %");
  });
});

describe("a mover", () => {
  test("that is silent has no pace and no time left", () => {
    const silent = { ...HALF, ageMs: 60_000 };
    expect(isSilent(HALF)).toBe(false);
    expect([stateWords(silent), timeLeft(silent), paceWords(silent)]).toEqual([
      "Silent",
      "–",
      "nothing moves",
    ]);
    expect(acts(silent)).toEqual(["run"]);
  });
  test("is silent after the end, and that is right", () => {
    const ended = { ...DONE, ageMs: 10 ** 9, endedAt: "2026-11-15T15:00Z" };
    expect([isSilent(ended), stateWords(ended), acts(ended)]).toEqual([false, "Ended", [undefined]]);
  });
  test("has a state of its own before, while and after it moves", () => {
    expect(stateWords({ ...HALF, migrated: 0, moving: 0, left: 1_000 })).toBe("Prepared");
    expect([stateWords(HALF), stateWords(DONE)]).toEqual(["Moving", "Following"]);
    expect([timeLeft(HALF), timeLeft(DONE)]).toEqual(["2 s", "none"]);
    expect([paceWords({ ...HALF, perSecond: 0 }), paceWords(DONE)]).toEqual(["no pace yet", "all is copied"]);
    expect([paceWords(HALF), paceWords({ ...HALF, perSecond: 2.25 })]).toEqual([
      "at 250 a second",
      "at 2.3 a second",
    ]);
  });
});

describe("what to do next", () => {
  test("is to wait while it moves or follows", () => {
    expect(acts(HALF)).toEqual([undefined]);
    expect(acts({ ...DONE, lag: 3, lagMs: 20 })).toEqual([undefined]);
  });
  test("is to verify before anything is switched", () => {
    expect(acts({ ...DONE, differences: null })).toEqual(["verify"]);
    expect(acts(DONE)).toEqual(["switch --all", "back --all", "report", "end"]);
  });
  test("is never to switch while something differs or is set aside", () => {
    expect(acts({ ...DONE, differences: 1, setAside: 2 })).toEqual(["verify", "status"]);
  });
  test("names whole commands", () => {
    expect(commandOf("run")).toMatch(/^footfall migrate run --from \S+ --mapping \S+ --data \S+$/);
  });
});

test("lengths of time are said as people say them", () => {
  expect([35, 1_500, 90_000, 7_200_000].map(lasting)).toEqual(["35 ms", "2 s", "2 min", "2.0 h"]);
});
