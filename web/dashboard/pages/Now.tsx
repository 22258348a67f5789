// Now: the list that moves by itself, hits and readers by the minute, and how long ago the last hit was.
import { useEffect, useMemo, useState } from "preact/hooks";
import { addressOf } from "../address.ts";
import { Problem } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useCell } from "../cell.ts";
import { newestMinute, serverNow } from "../clock.ts";
import { useStanding } from "../context.ts";
import { LiveFeed, type LiveState } from "../live.ts";
import { drawn, lastWhole, merged, story, totalOf } from "../minutes.ts";
import { AssetTable, hitsColumn } from "../parts/Assets.tsx";
import { Chart } from "../parts/Chart.tsx";
import { Figure } from "../parts/Figure.tsx";
import { BeforeReaders } from "../parts/FirstSteps.tsx";
import { HeldBack } from "../parts/HeldBack.tsx";
import { Link } from "../parts/Link.tsx";
import { Rising } from "../parts/Rising.tsx";
import { Empty, Loading, Refused } from "../parts/states.tsx";
import type { Point, Series } from "../shapes.ts";
import { ago, change, exactWords, whole } from "../words.ts";

const MINUTES = 60;
const SAYS: Record<LiveState, string> = {
  starting: "starting",
  live: "live",
  polling: "refreshed",
  gone: "no answer",
  paused: "paused",
};

export function NowPage() {
  const { brand, times } = useStanding();
  const feed = useMemo(() => new LiveFeed(brand.brand), [brand.brand]);
  useEffect(() => () => feed.close(), [feed]);
  const now = useCell(feed.now);
  const state = useCell(feed.state);
  const trouble = useCell(feed.trouble);
  const minutes = useMinutes(brand.brand, now?.minutes.points, now?.visitors.points);
  // Where it is not told, it is in the hour's minutes.
  const isTold = state !== "polling" && Boolean(now?.lastHit);
  const seconds = useSecondsSince(now?.lastHit ?? newestMinute(minutes));
  const today = useAsked<Series>("/v1/series", { brand: brand.brand, grain: "day", last: 1 }, 30_000);
  const day = useAsked<Series>(
    "/v1/series",
    { brand: brand.brand, grain: "hour", last: 24, compare: "lastWeek" },
    60_000,
  );
  const people = useAsked<Series>(
    "/v1/series",
    { brand: brand.brand, grain: "day", last: 1, measure: "uniques" },
    30_000,
  );

  if (!now && trouble instanceof Problem) return <Refused problem={trouble} />;
  const last = lastWhole(minutes);
  const isNew = now !== null && !now.list.items.length && !totalOf(minutes, "hits") && !today.value?.hits;
  return (
    <>
      <div class="head">
        <h1>Now</h1>
        <p class={`pulse ${state}`}>
          <span class="dot" aria-hidden="true" />
          {SAYS[state]}
        </p>
      </div>
      {isNew ? <BeforeReaders lastHit={now.lastHit} /> : null}
      <div class="figures">
        <Figure
          name="Hits a minute"
          value={last ? whole(last.hits ?? 0) : "–"}
          says="in the last whole minute"
        />
        <Figure
          name="Readers a minute"
          value={last ? whole(last.uniques ?? 0) : "–"}
          says="visitors, estimated"
        />
        <Figure
          name="Hits today"
          value={today.value ? whole(today.value.hits ?? 0) : "–"}
          says={comparedWith(day.value)}
        />
        <Figure
          name="Visitors today"
          value={people.value ? whole(people.value.uniques ?? 0) : "–"}
          says={
            people.value
              ? `${whole(people.value.uniquesAtLeast ?? 0)} to ${whole(people.value.uniquesAtMost ?? 0)}`
              : ""
          }
        />
        <Figure
          name="Last hit"
          value={seconds === null ? "–" : ago(seconds)}
          says={isTold || seconds === null ? "of those counted so far" : "or less, as far as asked"}
          id="last-hit"
        />
      </div>
      <section class="card">
        <Chart
          title="Hits and readers a minute"
          says={`hits ${story(minutes, "hits", (text) => times.clockOf(text))}`}
          times={minutes.map((point) => Date.parse(point.from) / 1000)}
          lines={[
            {
              name: "Hits",
              look: "main",
              values: drawn(minutes, "hits"),
            },
            {
              name: "Readers",
              look: "second",
              values: drawn(minutes, "uniques"),
            },
          ]}
          zone={brand.zone}
          timeName={(at) => times.clockOf(new Date(at * 1000).toISOString())}
        />
      </section>
      <div class="columns">
        <section class="card grow" aria-labelledby="now-list">
          <div class="card-head">
            <h2 id="now-list">Being read now</h2>
            {now ? (
              <p class="about">
                {times.spanOf(now.list.from, now.list.to)} {brand.zone} · {exactWords(now.list.exact)}
              </p>
            ) : null}
          </div>
          {now === null ? (
            <Loading what="Waiting for the list" />
          ) : now.list.items.length ? (
            <AssetTable
              items={now.list.items}
              brand={brand.brand}
              caption="What is being read now, most first"
              columns={[hitsColumn(Math.max(...now.list.items.map((item) => item.hits)))]}
            />
          ) : (
            <Empty title="Nothing was read in the last minutes">
              <p>The list fills by itself with the next hit.</p>
            </Empty>
          )}
        </section>
        <div class="beside">
          <aside class="card side" aria-labelledby="rising">
            <div class="card-head">
              <h2 id="rising">Rising</h2>
              <Link to={addressOf("/trending", brand.brand)}>All</Link>
            </div>
            <Rising />
          </aside>
          <HeldBack />
        </div>
      </div>
    </>
  );
}

function comparedWith(day: Series | undefined): string {
  const compared = day?.lastWeek?.compared;
  if (!compared) return "";
  return compared.hitsBefore
    ? `last 24 h ${change(compared.hits ?? 0, compared.hitsBefore)} on last week`
    : "nothing to compare with yet";
}

// The hour's minutes: read once, then kept up with what is told.
function useMinutes(brand: string, newest: Point[] | undefined, visitors: Point[] | undefined): Point[] {
  const hits = useAsked<Series>("/v1/series", { brand, grain: "minute", last: MINUTES }, 300_000);
  const people = useAsked<Series>(
    "/v1/series",
    { brand, grain: "minute", last: MINUTES, measure: "uniques" },
    300_000,
  );
  const [kept, setKept] = useState<Point[]>([]);
  useEffect(() => setKept((before) => merged(before, hits.value?.points ?? [], MINUTES)), [hits.value]);
  useEffect(() => setKept((before) => merged(before, people.value?.points ?? [], MINUTES)), [people.value]);
  useEffect(
    () => setKept((before) => merged(merged(before, newest ?? [], MINUTES), visitors ?? [], MINUTES)),
    [newest, visitors],
  );
  return kept;
}

function useSecondsSince(moment: string | null): number | null {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((times) => times + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return moment === null ? null : (serverNow() - Date.parse(moment)) / 1_000;
}
