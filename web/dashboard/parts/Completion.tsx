// How far an asset is watched: which part of its viewings saw each hundredth, drawn, in words and as a table.
import type { Ref } from "preact";
import { useAsked } from "../asking.ts";
import { serverNow } from "../clock.ts";
import { useStanding } from "../context.ts";
import { dayOf } from "../filters.ts";
import { movedDay } from "../numbers.ts";
import {
  type Curve,
  curvePath,
  curveWords,
  minutesSaid,
  sharesSeen,
  tenthsOf,
  type Watched,
} from "../watching.ts";
import { aligned, counted, knownZone, percent } from "../words.ts";
import { Empty, Shown } from "./states.tsx";

const DAYS = 7; // Each is read, a query for each shard.
const [WIDTH, HEIGHT] = [300, 100];

export function Completion({
  asset,
  items,
  choose,
  whole,
}: {
  asset: string;
  items: readonly Watched[];
  choose: (asset: string) => void;
  whole: Ref<HTMLElement>; // for whoever lets it be looked at
}) {
  const { brand } = useStanding();
  const to = dayOf(new Date(serverNow()).toISOString(), knownZone(brand.zone));
  const asked = useAsked<Curve>(
    asset ? "/v1/audience/completion" : null,
    { brand: brand.brand, asset, from: movedDay(to, 1 - DAYS), to },
    60_000,
  );
  const isListed = items.some((one) => one.assetId === asset);
  return (
    <section class="card" aria-labelledby="completion" ref={whole} tabIndex={-1}>
      <div class="card-head">
        <h2 id="completion">How far it is watched</h2>
        {asset ? (
          <label class="field">
            <span>Asset</span>
            <select value={asset} onChange={(event) => choose(event.currentTarget.value)}>
              {isListed ? null : <option value={asset}>{asset}</option>}
              {items.map((one) => (
                <option key={one.assetId} value={one.assetId}>
                  {one.title || one.assetId}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      {asset ? (
        <Shown asked={asked} what="Reading how far it is watched">
          {(curve) => (curve.playbacks ? <Drawn curve={curve} /> : <NoneYet minutes={curve.minutes} />)}
        </Shown>
      ) : (
        <Empty title="Nothing to draw yet">
          <p>As soon as something was watched, its curve is here.</p>
        </Empty>
      )}
    </section>
  );
}

function NoneYet({ minutes }: { minutes: number }) {
  return (
    <Empty title="No curve of it yet">
      <p>
        {minutes
          ? "It was watched, but its players do not say how long it is: send duration with each beat."
          : "A viewing is in it when its player has ended, or was silent for ten minutes."}
      </p>
    </Empty>
  );
}

function Drawn({ curve }: { curve: Curve }) {
  const shares = sharesSeen(curve);
  return (
    <figure class="chart curve">
      <figcaption>
        <span class="chart-title">Part of all viewings that saw it</span>
        <span class="about">
          Last {DAYS} days · {counted(curve.playbacks, "viewing")} · {minutesSaid(curve.minutes)} ·{" "}
          {percent(curve.finished / curve.playbacks)} saw the end
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`How far it is watched: ${curveWords(curve)}`}
      >
        <path class="half" d={`M0 ${HEIGHT / 2}L${WIDTH} ${HEIGHT / 2}`} />
        <path d={curvePath(shares, WIDTH, HEIGHT)} />
      </svg>
      <p class="ends" aria-hidden="true">
        <span>Beginning</span>
        <span>The line across is half of the viewings</span>
        <span>End</span>
      </p>
      <details class="as-table">
        <summary>The same as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Part of the asset</th>
              <th scope="col" class="number">
                Saw it
              </th>
            </tr>
          </thead>
          <tbody>
            {tenthsOf(shares).map((one) => (
              <tr key={one.name}>
                <th scope="row">{one.name}</th>
                <td class="number">{aligned(one.share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
