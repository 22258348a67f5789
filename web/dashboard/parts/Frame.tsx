// What stands around every page: the name, the brand, the menu, the search, the theme, and whether the server is there.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, go, place } from "../address.ts";
import { send, session } from "../api.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { facts } from "../facts.ts";
import { ARCHIVE, isOfPeople, PAGES, pageOfBrand } from "../routes.ts";
import type { BrandFacts } from "../shapes.ts";
import { chooseTheme, type Theme, theme } from "../theme.ts";
import { Link } from "./Link.tsx";
import { Search } from "./Search.tsx";

export interface FrameProps {
  brands: readonly BrandFacts[];
  path: string;
  isGone: boolean;
  children: ComponentChildren;
}

export function Frame({ brands, path, isGone, children }: FrameProps) {
  const { brand } = useStanding();
  const hasMenu = Boolean(brand.brand) && !isOfPeople(path);
  const main = useRef<HTMLElement>(null);
  useFocusOnMove(main, path);
  useEffect(() => {
    // On a narrow screen the menu scrolls sideways.
    document.querySelector(".menu [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [path, hasMenu]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link to={addressOf("/", brand.brand)} class="name">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <rect width="16" height="16" rx="4" />
            <path d="M4 12V8M8 12V4M12 12V6" />
          </svg>
          <span>footfall</span>
        </Link>
        {hasMenu ? <BrandChoice brands={brands} /> : null}
        {hasMenu ? <Search /> : <span class="grow" />}
        <ThemeChoice />
        <Who />
      </header>
      {isGone ? (
        <p class="away" role="alert">
          The server does not answer. What you see is what it said last; it is asked again by itself.
        </p>
      ) : null}
      <div class={hasMenu ? "body" : "body alone"}>
        {hasMenu ? (
          <nav class="menu" aria-label="Pages">
            <ul>
              {PAGES.filter(({ inMenu, path }) => inMenu && (facts.archive || path !== ARCHIVE)).map(
                (page) => (
                  <li key={page.path}>
                    <Link
                      to={addressOf(page.path, brand.brand)}
                      current={page.path === path || path.startsWith(`${page.path}/`)}
                    >
                      {page.name}
                    </Link>
                  </li>
                ),
              )}
            </ul>
          </nav>
        ) : null}
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
      <footer class="foot">
        <span>footfall {facts.version}</span>
        {hasMenu ? <span>Times are those of {brand.zone}</span> : null}
        <a href="/docs">Routes</a>
        <a href="/openapi.json">OpenAPI</a>
      </footer>
    </>
  );
}

// After a move the reader is at the new page's start, with the keyboard as well as with the eyes.
function useFocusOnMove(main: { current: HTMLElement | null }, path: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [path]);
}

function BrandChoice({ brands }: { brands: readonly BrandFacts[] }) {
  const { brand } = useStanding();
  const { path } = useCell(place);
  const all = brands.some((one) => one.brand === brand.brand) ? brands : [brand, ...brands];
  if (all.length < 2) return <span class="brand">{brand.title || brand.brand}</span>;
  return (
    <label class="brand">
      <span class="hidden">Brand</span>
      <select
        value={brand.brand}
        onChange={(event) => go(addressOf(pageOfBrand(path), event.currentTarget.value))}
      >
        {all.map((one) => (
          <option key={one.brand} value={one.brand}>
            {one.title || one.brand}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeChoice() {
  const chosen = useCell(theme);
  return (
    <label class="theme">
      <span class="hidden">Light or dark</span>
      <select value={chosen} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
        <option value="system">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function Who() {
  const { brand } = useStanding();
  const who = useCell(session);
  const { path } = useCell(place);
  const [isLeaving, setIsLeaving] = useState(false);
  if (!who) return null;
  if (!who.person) {
    return facts.people && !isOfPeople(path) ? <Link to="/sign-in">Sign in</Link> : null;
  }
  const leave = async () => {
    setIsLeaving(true);
    try {
      await send("DELETE", "/v1/session");
    } finally {
      location.assign("/sign-in");
    }
  };
  return (
    <span class="who">
      <Link
        to={addressOf("/account", brand.brand)}
        title={`Your account: ${who.person.email}`}
        current={path === "/account"}
      >
        {who.person.name || who.person.email}
      </Link>
      <button type="button" class="quiet" disabled={isLeaving} onClick={() => void leave()}>
        Sign out
      </button>
    </span>
  );
}
