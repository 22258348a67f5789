import { describe, expect, test } from "vitest";
import { problemFrom } from "../api.ts";
import { inputNamed, problemWords } from "../problems.ts";

describe("what the server refuses", () => {
  test("a sentence never begins with the name of a field", () => {
    const told: [string, string, RegExp][] = [
      [
        "brand",
        "brand: 'rival' is none in which you are a viewer, which this needs",
        /^This needs a viewer of “rival”/,
      ],
      [
        "code",
        "code: is not the one that footfall serve printed; footfall people setup-code shows it",
        /^That is not the code\./,
      ],
      [
        "from",
        "from: 'yester' is not a moment; write it with its zone, as in 2026-11-15T14:30:00Z",
        /^“yester” is no day or time/,
      ],
      [
        "brand",
        "brand: 'demo' is not a stored brand; footfall brands add demo makes it one",
        /^“demo” is open to everybody, so it has no rules, keys/,
      ],
      [
        "brand",
        "brand: 'demo' has no rules to change: it is open; footfall brands add demo stores it",
        /^“demo” is open to everybody/,
      ],
      ["brand", "brand: 'nope' is not a brand here; ask", /^There is no brand “nope” here\.$/],
      ["name", "name: there is no metric 'nope'", /^There is no metric “nope”\.$/],
      ["zone", "zone: 'Moon/Base' is not a time zone", /^“Moon\/Base” is not a time zone\.$/],
      ["password", "password: has 4 characters; 10 to 1024 are taken", /^The password has 4 characters/],
      ["X-Footfall-CSRF", "X-Footfall-CSRF: is missing or wrong; send the csrf", /^This page is out of date/],
      ["", "there were too many attempts; wait 840 s", /^There were too many attempts\. Wait 14 minutes/],
    ];
    for (const [field, detail, words] of told) {
      expect(problemFrom(400, { detail, field }).message).toMatch(words);
    }
  });
  test("where a form shows the field, it is called as the form calls it", () => {
    const detail = "rules.repeatsMax: is not a whole number from 0 to 1,000";
    expect(problemWords(detail, "rules.repeatsMax", "Hits of a visitor")).toBe(
      "Hits of a visitor is not a whole number from 0 to 1,000.",
    );
    expect(inputNamed("rules.repeatsMax", ["mode", "repeatsMax"])).toBe("repeatsMax");
    expect(inputNamed("webhooks", ["name", "places"], { webhooks: "places" })).toBe("places");
    expect(inputNamed("brand", ["name", "places"])).toBe("");
  });
});
