import { describe, expect, test } from "vitest";
import {
  type Alert,
  conditionOf,
  definitionFrom,
  definitionOf,
  deliveryWords,
  triedWords,
} from "../alerts.ts";

const HOOK = "https://hooks.example.com/a";
const alert: Alert = {
  id: "al_1",
  name: "Up",
  kind: "asset-passes",
  isOn: true,
  hits: 1000,
  window: "hour",
  section: null,
  webhooks: [HOOK],
  emails: [],
  turnedOff: {},
};

describe("a form", () => {
  test("says what its kind asks for and nothing else", () => {
    const values = {
      name: "Up",
      kind: "asset-passes",
      hits: "1000",
      window: "hour",
      minutes: "15",
      share: "3",
    };
    expect(definitionFrom({ ...values, section: "", places: `${HOOK}, desk@example.com` })).toEqual({
      name: "Up",
      kind: "asset-passes",
      hits: 1000,
      window: "hour",
      webhooks: [HOOK],
      emails: ["desk@example.com"],
    });
    expect(definitionFrom({ ...values, window: "minutes", places: HOOK })).toMatchObject({ minutes: 15 });
  });
  test("has a share in percent", () => {
    const made = definitionFrom({
      name: "L",
      kind: "drops-spike",
      minutes: "10",
      share: "12.5",
      atLeast: "50",
    });
    expect(made).toMatchObject({ share: 0.125, atLeast: 50, minutes: 10 });
  });
});

test("an alert is sent back as it was defined", () => {
  expect(definitionOf({ ...alert, turnedOff: { [HOOK]: "gone" } })).toEqual({
    name: "Up",
    kind: "asset-passes",
    isOn: true,
    hits: 1000,
    window: "hour",
    webhooks: [HOOK],
    emails: [],
  });
});

test("a condition is a sentence", () => {
  expect(conditionOf(alert)).toBe("An asset has 1,000 hits in an hour");
  expect(conditionOf({ ...alert, window: "minutes", minutes: 5, section: "7" })).toBe(
    "An asset has 1,000 hits in 5 minutes in section 7",
  );
  expect(conditionOf({ ...alert, kind: "brand-silent", minutes: 15, hours: "07:00-23:00" })).toBe(
    "No hit is counted for 15 minutes, between 07:00 and 23:00",
  );
  expect(conditionOf({ ...alert, kind: "drops-spike", minutes: 10, share: 0.2, atLeast: 100 })).toBe(
    "20% of the hits of 10 minutes, and at least 100, are not counted",
  );
});

test("what came back is told", () => {
  const one = { to: HOOK, state: "delivered", attempts: 3, at: null, said: "200 OK", next: null };
  expect(deliveryWords(one)).toBe(`${HOOK}: delivered after 3 tries (200 OK)`);
  expect(deliveryWords({ ...one, state: "waiting", attempts: 0, said: "" })).toBe(`${HOOK}: waits`);
  expect(triedWords([{ to: HOOK, isTaken: false, said: "500" }])).toBe(`${HOOK}: not taken (500)`);
});
