// A page's picture: its tiles on top of each other without gaps, each loaded as it comes into sight.
import { type Capture, ownAddress, titleOf } from "../captures.ts";

const EAGER = 2; // tiles that are in sight at once

export function Tiles({ of: one }: { of: Capture }) {
  return (
    <figure class="tiles" style={{ maxWidth: `${one.widthPx}px` }}>
      {one.tiles.map(({ url, heightPx }, at) => (
        <img
          key={url}
          src={ownAddress(url)}
          width={one.widthPx}
          height={heightPx}
          alt={at ? "" : `Picture of “${titleOf(one)}” as it was`}
          loading={at < EAGER ? "eager" : "lazy"}
          decoding="async"
        />
      ))}
    </figure>
  );
}
