// Whose numbers the page shows, and how that brand tells the time.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { Cell } from "./cell.ts";
import type { BrandFacts } from "./shapes.ts";
import { Times } from "./words.ts";

export interface Standing {
  brand: BrandFacts;
  times: Times;
  periods: string[];
}

export const StandingContext = createContext<Standing>({
  brand: { brand: "", title: "", zone: "UTC" },
  times: new Times("UTC"),
  periods: [],
});

export function useStanding(): Standing {
  return useContext(StandingContext);
}

// What the page is about, where its name alone does not tell: tabs of two assets are told apart by it.
export const subject = new Cell("");
