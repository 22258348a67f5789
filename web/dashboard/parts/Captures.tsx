// Captures as a list: a thumbnail, what the page called itself, and when it was kept. All words are a stranger's.
import type { ComponentChildren } from "preact";
import { captureAddress, fileOf, type Line, pageAddress, shortUrl, titleOf } from "../captures.ts";
import { useStanding } from "../context.ts";
import { Link } from "./Link.tsx";

export interface CapturesProps<T extends Line> {
  items: readonly T[];
  more?: (item: T) => ComponentChildren; // what is said below a capture beside the usual
}

export function Captures<T extends Line>({ items, more }: CapturesProps<T>) {
  const { brand, times } = useStanding();
  return (
    <ul class="shelf">
      {items.map((item) => (
        <li key={item.id}>
          <Thumbnail id={item.id} />
          <div class="what">
            <Link to={captureAddress(item.id, brand.brand)} class="asset">
              <bdi>{titleOf(item)}</bdi>
            </Link>
            <Marks of={item} />
            <p class="about">
              <time dateTime={item.at}>{times.dateOf(item.at)}</time> ·{" "}
              <Link to={pageAddress(item.url, brand.brand)} title="All captures of this page">
                <bdi>{shortUrl(item.url, 60)}</bdi>
              </Link>
            </p>
            {more?.(item)}
          </div>
        </li>
      ))}
    </ul>
  );
}

// The link beside it says all that a picture so small can.
function Thumbnail({ id }: { id: string }) {
  const { brand } = useStanding();
  return (
    <span class="thumbnail">
      <img src={fileOf(id, "thumbnail", brand.brand)} alt="" loading="lazy" decoding="async" />
    </span>
  );
}

export function Marks({ of: one }: { of: Line }) {
  return (
    <>
      {one.status >= 400 ? <span class="tag">HTTP {one.status}</span> : null}
      {one.sameAs ? <span class="tag">nothing new</span> : null}
      {one.isShared ? <span class="tag">shared</span> : null}
      {one.isHeld ? <span class="tag">legal hold</span> : null}
    </>
  );
}
