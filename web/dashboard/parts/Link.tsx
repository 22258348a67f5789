// A link inside the dashboard: the page changes without a load, and everything a browser does with links still works.
import type { ComponentChildren } from "preact";
import { go, isOrdinaryClick } from "../address.ts";

export interface LinkProps {
  to: string;
  children: ComponentChildren;
  class?: string;
  current?: boolean;
  title?: string;
  dir?: "auto"; // of a name that may be cut off, whose beginning should stay
}

export function Link({ to, children, current, ...more }: LinkProps) {
  return (
    <a
      href={to}
      aria-current={current ? "page" : undefined}
      {...more}
      onClick={(event) => {
        if (!isOrdinaryClick(event)) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
