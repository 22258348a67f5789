// Archive: have a page kept, see how far it is, and find again what was kept.
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, changed, go, useParameters } from "../address.ts";
import { send, session } from "../api.ts";
import { useAsked } from "../asking.ts";
import {
  everyMs,
  type Found,
  isAddress,
  pageAddress,
  type Search,
  type Shelf,
  shortUrl,
  type Wish,
} from "../captures.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { mayDo } from "../facts.ts";
import { Captures } from "../parts/Captures.tsx";
import { Choices, Field, Form } from "../parts/Form.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { type Wishes, WishList } from "../parts/Wishes.tsx";
import { ARCHIVE } from "../routes.ts";

const SHOWN = 24;
const WISHES = 8;

export function ArchivePage() {
  const { brand } = useStanding();
  const parameters = useParameters();
  const words = parameters.get("q") ?? "";
  const after = parameters.get("requests") ?? "";
  const [pace, setPace] = useState(everyMs(undefined));
  const wishes = useAsked<Wishes>("/v1/archive/requests", { brand: brand.brand, limit: WISHES, after }, pace);
  const kept = wishes.value?.requests.filter(({ state }) => state === "done").length ?? 0;
  useEffect(() => setPace(everyMs(wishes.value?.requests)), [wishes.value]);
  return (
    <>
      <div class="head">
        <h1>Archive</h1>
        <Link to={addressOf(`${ARCHIVE}/watches`, brand.brand)}>Watch list</Link>
      </div>
      <p class="about">
        Pages as a person saw them: the whole picture, the text, and a copy that can be opened again, kept for
        good.
      </p>
      <Keep done={wishes.again} />
      <WishList asked={wishes} isLater={Boolean(after)}>
        <More what="requests" after={wishes.value?.after} isLater={Boolean(after)} />
      </WishList>
      <Seek words={words} />
      {words ? <Results words={words} /> : <Library kept={kept} />}
    </>
  );
}

function Keep({ done }: { done: () => void }) {
  const { brand } = useStanding();
  const who = useCell(session);
  if (!who) return null;
  if (!who.person) {
    const next = location.pathname + location.search;
    return (
      <p class="warning">
        <Link to={addressOf("/sign-in", "", { next })}>Sign in</Link> to keep pages: each is kept for
        somebody.
      </p>
    );
  }
  const options: [string, string][] = [
    ["hideBanners", "Hide banners"],
    ["hideSticky", "Hide sticky headers"],
  ];
  if (mayDo(brand.role, "editor")) options.push(["share", "Share with the brand"]);
  const keep = async (values: Record<string, string>) => {
    const chosen = Object.fromEntries(options.map(([name]) => [name, values[name] === "on"]));
    const { request } = await send<{ request: Wish }>(
      "POST",
      "/v1/archive",
      { url: (values.url ?? "").trim(), ...chosen },
      { brand: brand.brand },
    );
    done();
    return `${shortUrl(request.url || request.typed)} is asked for; below is how far it is.`;
  };
  return (
    <section class="card" aria-labelledby="keep-title">
      <h2 id="keep-title">Keep a page</h2>
      <Form label="Keep a page" button="Archive" send={keep}>
        <Field
          name="url"
          words="Address"
          control={(marks) => (
            <input
              {...marks}
              type="text"
              inputMode="url"
              required
              autocomplete="off"
              spellcheck={false}
              placeholder="example.com/story"
            />
          )}
        />
        <Choices words="Options" options={options} />
      </Form>
    </section>
  );
}

function Seek({ words }: { words: string }) {
  const { brand } = useStanding();
  const [typed, setTyped] = useState(words);
  useEffect(() => setTyped(words), [words]);
  const seek = (text: string) =>
    go(isAddress(text) ? pageAddress(text, brand.brand) : addressOf(ARCHIVE, brand.brand, { q: text }));
  return (
    <search aria-label="Find captures">
      <form
        class="card row"
        aria-label="Find captures"
        onSubmit={(event) => {
          event.preventDefault();
          seek(typed.trim());
        }}
      >
        <label class="field">
          <span>Find by words, or all captures of an address</span>
          <input
            type="search"
            value={typed}
            autocomplete="off"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Find</button>
      </form>
    </search>
  );
}

function Results({ words }: { words: string }) {
  const { brand } = useStanding();
  const parameters = useParameters();
  const after = parameters.get("after") ?? "";
  const asked = useAsked<Search>("/v1/archive/search", { brand: brand.brand, q: words, limit: SHOWN, after });
  return (
    <section class="card" aria-labelledby="found-title">
      <div class="card-head">
        <h2 id="found-title">Found</h2>
        <Link to={addressOf(ARCHIVE, brand.brand)}>Show all captures</Link>
      </div>
      <Shown asked={asked} what="Looking">
        {(told) => (
          <>
            {told.kind === "words" ? (
              <p class="about">
                Words of titles, addresses and keywords are looked at here, not whole texts.
              </p>
            ) : null}
            {told.results.length ? (
              <Captures items={told.results} more={(one) => <Excerpt of={one} />} />
            ) : (
              <Empty title={`Nothing kept says “${words}”`} />
            )}
            <More what="captures" after={told.after} isLater={Boolean(after)} />
          </>
        )}
      </Shown>
    </section>
  );
}

function Excerpt({ of: { excerpt } }: { of: Found }) {
  if (!excerpt.length) return null;
  return (
    <p class="excerpt" dir="auto">
      {excerpt.map(([text, isMatch]) => (isMatch ? <mark>{text}</mark> : text))}
    </p>
  );
}

function Library({ kept }: { kept: number }) {
  const { brand } = useStanding();
  const parameters = useParameters();
  const of = parameters.get("of") === "brand" ? "brand" : "";
  const after = parameters.get("after") ?? "";
  const asked = useAsked<Shelf>("/v1/archive/library", { brand: brand.brand, of, limit: SHOWN, after });
  // What was just kept is in it, and this page knows when that was.
  const known = useRef(kept);
  useEffect(() => {
    if (kept !== known.current) asked.again();
    known.current = kept;
  }, [kept]);
  const to = (whose: string) => addressOf(ARCHIVE, brand.brand, { of: whose });
  return (
    <section class="card" aria-labelledby="library-title">
      <div class="card-head">
        <h2 id="library-title">What was kept</h2>
        <nav class="tabs" aria-label="Whose">
          <Link to={to("")} current={!of}>
            Yours
          </Link>
          <Link to={to("brand")} current={of === "brand"}>
            Shared with the brand
          </Link>
        </nav>
      </div>
      <Shown asked={asked} what="Opening the library">
        {(shelf) =>
          shelf.captures.length ? (
            <>
              <Captures items={shelf.captures} />
              <More what="captures" after={shelf.after} isLater={Boolean(after)} />
            </>
          ) : (
            <Empty title={of ? "Nothing is shared yet" : "Nothing is kept yet"}>
              <p>
                {of
                  ? "What an editor shares, and what the watch list keeps, is here for everybody of the brand."
                  : "Type the address of a page above; in a few seconds it is here."}
              </p>
            </Empty>
          )
        }
      </Shown>
    </section>
  );
}

interface Further {
  what: "captures" | "requests";
  after: string | null | undefined;
  isLater: boolean;
}

// Captures and requests are two lists of one page, each with a place of its own.
function More({ what, after, isLater }: Further) {
  const { brand } = useStanding();
  const parameters = useParameters();
  if (!after && !isLater) return null;
  const name = what === "captures" ? "after" : what;
  const at = (next: string) => `${ARCHIVE}?${changed(parameters, { brand: brand.brand, [name]: next })}`;
  return (
    <nav class="acts" aria-label={`More ${what}`}>
      {isLater ? (
        <Link to={at("")} class="button quiet">
          From the start
        </Link>
      ) : null}
      {after ? (
        <Link to={at(after)} class="button">
          Older
        </Link>
      ) : null}
    </nav>
  );
}
