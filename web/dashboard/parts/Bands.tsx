// Two pictures aligned band by band: side by side, or one over the other with a slider between them.
import { useState } from "preact/hooks";
import { type Band, bandWords, type Comparison, cuts } from "../bands.ts";
import { type Capture, ownAddress } from "../captures.ts";

export interface BandsProps {
  told: Comparison;
  a: Capture;
  b: Capture;
}

export function Bands({ told, a, b }: BandsProps) {
  const [isOver, setIsOver] = useState(false);
  const [share, setShare] = useState(50);
  return (
    <section class="card" aria-labelledby="pictures-title">
      <div class="card-head">
        <h2 id="pictures-title">The pictures</h2>
        <span class="periods">
          <button type="button" aria-pressed={!isOver} onClick={() => setIsOver(false)}>
            Side by side
          </button>
          <button type="button" aria-pressed={isOver} onClick={() => setIsOver(true)}>
            One over the other
          </button>
        </span>
      </div>
      {isOver ? (
        <label class="field slider">
          <span>Older on the left of the line, newer on the right</span>
          <input
            type="range"
            min="0"
            max="100"
            value={share}
            onInput={(event) => setShare(Number(event.currentTarget.value))}
          />
        </label>
      ) : null}
      <ol class={isOver ? "bands over" : "bands"} style={{ "--at": `${share}%` }}>
        {told.picture.bands.map((band) => (
          <li
            key={`${band.kind} ${band.aTop} ${band.bTop}`}
            class={band.kind}
            aria-label={bandWords(band)}
            // In one place both need the same room, whichever is taller.
            style={
              isOver
                ? { aspectRatio: `${b.widthPx} / ${Math.max(band.aHeight, band.bHeight, 1)}` }
                : undefined
            }
          >
            <Part of={a} top={band.aTop} height={band.aHeight} side="older" />
            <Part of={b} top={band.bTop} height={band.bHeight} side="newer" band={band} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface PartProps {
  of: Capture;
  top: number;
  height: number;
  side: "older" | "newer";
  band?: Band;
}

function Part({ of: one, top, height, side, band }: PartProps) {
  if (!height) return <div class={`part nothing ${side}`} />;
  const share = (value: number) => `${100 * value}%`;
  return (
    <div class={`part ${side}`} style={{ aspectRatio: `${one.widthPx} / ${height}` }}>
      {cuts(one.tiles, top, height).map((cut) => (
        <img
          key={cut.url}
          src={ownAddress(cut.url)}
          alt=""
          loading="lazy"
          decoding="async"
          style={{ top: share(cut.top), height: share(cut.height) }}
        />
      ))}
      {band?.boxes.map(([x, y, width, boxHeight]) => (
        <span
          key={`${x} ${y}`}
          class="box"
          style={{
            left: share(x / one.widthPx),
            top: share((y - top) / height),
            width: share(width / one.widthPx),
            height: share(boxHeight / height),
          }}
        />
      ))}
    </div>
  );
}
