// Whose numbers the page shows, and how that brand tells the time.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
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
