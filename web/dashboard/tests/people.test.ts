import { describe, expect, test } from "vitest";
import { ownPath, tokenIn } from "../people.ts";

describe("links to people", () => {
  test("a secret that was cut off in the middle is none, and nothing breaks", () => {
    expect(tokenIn("#abc~x~secret")).toBe("abc~x~secret");
    expect(tokenIn("#abc%7Ex%7Esecret")).toBe("abc~x~secret");
    expect(tokenIn("")).toBe("");
    expect(tokenIn("#%")).toBeNull();
    expect(tokenIn("#%E0%A4%A")).toBeNull();
  });
  test("whoever signs in comes back to a page of ours, the account among them", () => {
    expect(ownPath("/account")).toBe("/account");
    expect(ownPath("//evil.example/account")).toBe("/");
    expect(ownPath("/reset")).toBe("/");
  });
});
