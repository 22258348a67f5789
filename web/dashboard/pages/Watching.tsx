// Watching: who watches now, minutes of today and of a period, how far an asset is watched, and what it earned.
import { useRef } from "preact/hooks";
import { changed, go, place, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { wantedFrom } from "../filters.ts";
import { drawn, lastWhole, soFar, story } from "../minutes.ts";
import { amount, rangeOf, tick } from "../numbers.ts";
import { Chart } from "../parts/Chart.tsx";
import { Completion } from "../parts/Completion.tsx";
import { Earnings } from "../parts/Earnings.tsx";
import { Figure, VisitorsFigure } from "../parts/Figure.tsx";
import { Periods } from "../parts/Filters.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { MinutesTable, SectionMinutes, ViewersTable } from "../parts/WatchedTables.tsx";
import type { Series } from "../shapes.ts";
import {
  asCounts,
  minutesSaid,
  type Viewers,
  type WatchedList,
  type WatchedSeries,
  type WatchedShares,
} from "../watching.ts";
import { knownZone, whole } from "../words.ts";

const NOW_EVERY_MS = 5_000;
const EVERY_MS = 15_000;
const SHOWN = 25;
const MINUTES = { said: amount, tick, range: rangeOf };

export function WatchingPage() {
  const { brand, times, periods } = useStanding();
  const parameters = useParameters();
  const period = wantedFrom(parameters, periods, knownZone(brand.zone)).period || "day";
  const isOfSeries = parameters.get("of") === "series";
  const query = { brand: brand.brand, by: "minutes" };
  const now = useAsked<Viewers>("/v1/audience/viewers", { brand: brand.brand }, NOW_EVERY_MS);
  const assets = useAsked<WatchedList>("/v1/popular", { ...query, period, limit: 100 }, EVERY_MS);
  const series = useAsked<WatchedList>(
    isOfSeries ? "/v1/popular" : null,
    { ...query, period, of: "series", limit: SHOWN },
    EVERY_MS,
  );
  const sections = useAsked<WatchedShares>("/v1/top/sections", { ...query, period, limit: 50 }, EVERY_MS);
  const items = assets.value?.items ?? [];
  const set = (changes: Record<string, string>) =>
    go(`${place.value.path}?${changed(parameters, { brand: brand.brand, ...changes })}`, { replaces: true });
  const choose = (asset: string) => set({ asset });
  const curve = useRef<HTMLElement>(null);
  // The curve lies far below the list: whoever asks for it there is taken to it, with the keyboard as well.
  const showCurve = (asset: string) => {
    choose(asset);
    curve.current?.scrollIntoView({ block: "start" });
    curve.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <div class="head">
        <h1>Watching</h1>
        <Periods wanted={{ period }} periods={periods} set={set} />
      </div>
      <Figures now={now.value} />
      <Hours />
      <div class="columns">
        <section class="card grow" aria-labelledby="most-watched">
          <div class="card-head">
            <h2 id="most-watched">Most watched</h2>
            <Kinds isOfSeries={isOfSeries} set={set} />
          </div>
          <Shown asked={isOfSeries ? series : assets} what="Reading the list">
            {(list) => (
              <>
                <p class="about">
                  {times.spanOf(list.from, list.to)} {brand.zone}
                </p>
                {list.items.length ? (
                  <MinutesTable
                    items={list.items.slice(0, SHOWN)}
                    what={isOfSeries ? "Series" : "Asset"}
                    {...(isOfSeries ? {} : { choose: showCurve })}
                  />
                ) : (
                  <NothingWatched />
                )}
              </>
            )}
          </Shown>
        </section>
        <aside class="card side" aria-labelledby="watched-now">
          <h2 id="watched-now">Being watched now</h2>
          <Shown asked={now} what="Counting viewers">
            {(told) => <ViewersTable now={told} items={items} />}
          </Shown>
        </aside>
      </div>
      <div class="columns even">
        <Completion
          asset={parameters.get("asset") || items[0]?.assetId || ""}
          items={items}
          choose={choose}
          whole={curve}
        />
        <section class="card" aria-labelledby="watched-sections">
          <h2 id="watched-sections">Sections</h2>
          <Shown asked={sections}>{(shares) => <SectionMinutes shares={shares} />}</Shown>
        </section>
      </div>
      <Earnings />
    </>
  );
}

function Figures({ now }: { now: Viewers | undefined }) {
  const { brand, times } = useStanding();
  const query = { brand: brand.brand, by: "minutes" };
  const today = useAsked<WatchedSeries>("/v1/series", { ...query, grain: "day", last: 1 }, EVERY_MS).value;
  const minute = useAsked<WatchedSeries>(
    "/v1/series",
    { ...query, grain: "minute", last: 3 },
    EVERY_MS,
  ).value;
  const people = useAsked<Series>(
    "/v1/series",
    { ...query, grain: "day", last: 1, measure: "uniques" },
    30_000,
  ).value;
  const last = minute && lastWhole(asCounts(minute.points));
  return (
    <div class="figures">
      <Figure
        name="Watching now"
        value={now ? whole(now.viewers) : "–"}
        says={now ? `at ${times.exactlyOf(now.at)}` : ""}
        id="viewers-now"
      />
      <Figure
        name="Last whole minute"
        value={last ? minutesSaid(last.hits ?? 0) : "–"}
        says="watched by all together"
      />
      <Figure
        name="Watched today"
        value={today ? minutesSaid(today.minutes ?? 0) : "–"}
        says={today ? times.spanOf(today.from, today.to) : ""}
        id="minutes-today"
      />
      <VisitorsFigure name="Viewers today" told={people} />
    </div>
  );
}

function Hours() {
  const { brand, times } = useStanding();
  const hours = useAsked<WatchedSeries>(
    "/v1/series",
    { brand: brand.brand, by: "minutes", grain: "hour", last: 24 },
    EVERY_MS,
  );
  return (
    <Shown asked={hours} what="Reading the hours">
      {(series) => {
        const points = asCounts(series.points);
        const named = (text: string) => times.windowOf(text, series.grain);
        return (
          <section class="card">
            <Chart
              title="Minutes watched in each hour"
              says={story(points, "hits", named)}
              times={points.map((point) => Date.parse(point.from) / 1000)}
              lines={[
                {
                  name: "Minutes",
                  look: "main",
                  values: drawn(points, "hits"),
                  soFar: soFar(points, "hits"),
                },
              ]}
              zone={series.zone}
              timeName={(seconds) => named(new Date(seconds * 1000).toISOString())}
              measure={MINUTES}
            />
          </section>
        );
      }}
    </Shown>
  );
}

function Kinds({ isOfSeries, set }: { isOfSeries: boolean; set: (changes: Record<string, string>) => void }) {
  return (
    <fieldset class="periods">
      <legend class="hidden">By</legend>
      <button type="button" aria-pressed={!isOfSeries} onClick={() => set({ of: "" })}>
        Assets
      </button>
      <button type="button" aria-pressed={isOfSeries} onClick={() => set({ of: "series" })}>
        Series
      </button>
    </fieldset>
  );
}

function NothingWatched() {
  return (
    <Empty title="Nothing was watched in this span">
      <p>
        Choose a longer period, or have your players send beats to <code>POST /v1/pings</code>.
      </p>
    </Empty>
  );
}
