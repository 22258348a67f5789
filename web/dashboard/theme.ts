// Light or dark: as the system has it, unless the reader chose.
import { Cell } from "./cell.ts";

export type Theme = "system" | "light" | "dark";

const NAME = "footfall-theme";

function stored(): Theme {
  try {
    const value = localStorage.getItem(NAME);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // Storage may be switched off; then the choice lasts as long as the page.
  }
}

export const theme = new Cell<Theme>(typeof localStorage === "undefined" ? "system" : stored());

// How often the looks have changed, by the reader's choice or the system's: whoever draws with colours draws again.
export const looks = new Cell(0);

export function followSystem(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => looks.set(looks.value + 1));
}

export function chooseTheme(chosen: Theme): void {
  try {
    if (chosen === "system") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, chosen);
  } catch {
    // As above.
  }
  showTheme(chosen);
  theme.set(chosen);
  looks.set(looks.value + 1);
}

export function showTheme(chosen: Theme): void {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
