// One's requests to keep a page: how far each is, why it failed, and another try.
import type { ComponentChildren } from "preact";
import { send, session } from "../api.ts";
import type { Asked } from "../asking.ts";
import { captureAddress, isNews, isOpen, shortUrl, stateWords, type Wish, wishWords } from "../captures.ts";
import { useCell } from "../cell.ts";
import { serverNow } from "../clock.ts";
import { useStanding } from "../context.ts";
import { Acting } from "./Acting.tsx";
import { Folded } from "./Folded.tsx";
import { Link } from "./Link.tsx";

export interface Wishes {
  requests: Wish[];
  after?: string | null;
}

interface Listed {
  asked: Asked<Wishes>;
  isLater: boolean; // It is not the first page, where all but the news is folded.
  children: ComponentChildren;
}

export function WishList({ asked, isLater, children }: Listed) {
  const wishes = asked.value?.requests ?? [];
  if (!wishes.length && !isLater) return null;
  const now = serverNow();
  const [news, older] = [wishes.filter((one) => isNews(one, now)), wishes.filter((one) => !isNews(one, now))];
  return (
    <section class="card" aria-labelledby="requests-title">
      <h2 id="requests-title">Requests</h2>
      {isLater ? (
        <Rows of={wishes} again={asked.again} />
      ) : news.length ? (
        <Rows of={news} again={asked.again} />
      ) : (
        <p class="about">Nothing waits.</p>
      )}
      {older.length && !isLater ? (
        <Folded words="Earlier requests">
          <Rows of={older} again={asked.again} />
        </Folded>
      ) : null}
      {children}
    </section>
  );
}

function Rows({ of: wishes, again }: { of: readonly Wish[]; again: () => void }) {
  return (
    <ul class="brief wishes">
      {wishes.map((wish) => (
        <WishRow key={wish.id} wish={wish} again={again} />
      ))}
    </ul>
  );
}

function WishRow({ wish, again }: { wish: Wish; again: () => void }) {
  const { brand, times } = useStanding();
  const words = wishWords(wish);
  const isSomebody = Boolean(useCell(session)?.person);
  const retry = async () => {
    await send("POST", `/v1/archive/requests/${encodeURIComponent(wish.id)}/retry`, undefined, {
      brand: brand.brand,
    });
    again();
  };
  return (
    <li>
      <span class="what">
        <bdi>{shortUrl(wish.url || wish.typed)}</bdi>
        <br />
        <span class={wish.state === "failed" ? "bad" : "about"}>{words}</span>
        {words ? <br /> : null}
        <time class="about" dateTime={wish.at}>
          {times.dateOf(wish.at)}
        </time>
      </span>
      <span class="acts">
        {wish.capture ? (
          <Link to={captureAddress(wish.capture, brand.brand)} class="button quiet">
            Open
          </Link>
        ) : null}
        {wish.state === "failed" && isSomebody ? (
          <Acting words="Retry" about={shortUrl(wish.url || wish.typed)} act={retry} />
        ) : null}
        <span class={isOpen(wish) ? "pulse live" : "pulse"} role="status">
          {isOpen(wish) ? <span class="dot" /> : null}
          {stateWords(wish.state)}
        </span>
      </span>
    </li>
  );
}
