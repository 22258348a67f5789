// One's requests to keep a page: how far each is, why it failed, and another try.
import { send, session } from "../api.ts";
import type { Asked } from "../asking.ts";
import { captureAddress, isOpen, shortUrl, stateWords, type Wish, wishWords } from "../captures.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { Acting } from "./Acting.tsx";
import { Link } from "./Link.tsx";

export interface Wishes {
  requests: Wish[];
  after?: string | null;
}

export function WishList({ asked }: { asked: Asked<Wishes> }) {
  const wishes = asked.value?.requests ?? [];
  if (!wishes.length) return null;
  return (
    <section class="card" aria-labelledby="requests-title">
      <h2 id="requests-title">Requests</h2>
      <ul class="brief wishes">
        {wishes.map((wish) => (
          <WishRow key={wish.id} wish={wish} again={asked.again} />
        ))}
      </ul>
    </section>
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
