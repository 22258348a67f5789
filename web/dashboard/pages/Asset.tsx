// One asset: how it does, beside the same time last week, and what is known of it.
import { useEffect, useState } from "preact/hooks";
import { assetOf, changed, go, place, safeAddress, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useCell } from "../cell.ts";
import { subject, useStanding } from "../context.ts";
import { mayDo } from "../facts.ts";
import { type Known, labelRows, lacksLabels } from "../labels.ts";
import { besideLastWeek, drawn, isYoung, soFar, story } from "../minutes.ts";
import { Chart } from "../parts/Chart.tsx";
import { EditButtons } from "../parts/EditButtons.tsx";
import { Figure, VisitorsFigure } from "../parts/Figure.tsx";
import { ReferrersPart } from "../parts/Referrers.tsx";
import { Shown } from "../parts/states.tsx";
import type { Item, List, Series } from "../shapes.ts";
import { bounded, whole } from "../words.ts";

const SPANS = {
  hours: { name: "Two days", grain: "hour", last: 48, hours: 48 },
  minutes: { name: "Two hours", grain: "minute", last: 120, hours: 3 },
  days: { name: "Four weeks", grain: "day", last: 28, hours: 28 * 24 },
};

function spanOf(chosen: string | null, isNew: boolean) {
  if (chosen !== null && Object.hasOwn(SPANS, chosen)) return SPANS[chosen as keyof typeof SPANS];
  return isNew ? SPANS.minutes : SPANS.hours;
}

export function AssetPage() {
  const { brand, times } = useStanding();
  const { path } = useCell(place);
  const asset = assetOf(path);
  const parameters = useParameters();
  // An asset of the last hours is shown by minutes unless somebody chose: by hours there would be nothing to see yet.
  const [isNew, setNew] = useState(false);
  const span = spanOf(parameters.get("span"), isNew);
  const at = `/v1/assets/${encodeURIComponent(asset)}`;
  const query = { brand: brand.brand, grain: span.grain, last: span.last };
  const hits = useAsked<Series>(`${at}/series`, { ...query, compare: "lastWeek" }, 10_000);
  useEffect(() => {
    if (hits.value && isYoung(hits.value)) setNew(true);
  }, [hits.value]);
  const people = useAsked<Series>(`${at}/series`, { ...query, measure: "uniques" }, 20_000);
  // Asked for like this, an asset that nobody told of is no failure.
  const known = useAsked<{ items: Known[] }>("/v1/assets", { brand: brand.brand, ids: asset });
  const facts = known.value?.items[0];
  const listed = useListed(asset, !known.isAsking && lacksLabels(facts));
  const name = facts?.title || asset;
  useEffect(() => {
    subject.set(name);
    return () => subject.set("");
  }, [name]);
  const link = safeAddress(facts?.address);
  return (
    <>
      <div class="head">
        <h1>{name}</h1>
      </div>
      <p class="about">
        {facts?.title ? <code>{asset}</code> : null}{" "}
        {link ? (
          <a href={link} target="_blank" rel="noopener noreferrer">
            {link}
          </a>
        ) : null}
      </p>
      <Labels rows={labelRows(facts, listed, (text) => times.momentOf(text))} />
      {mayDo(brand.role, "editor") ? <EditButtons asset={asset} /> : null}
      <fieldset class="periods">
        <legend class="hidden">Span</legend>
        {Object.entries(SPANS).map(([key, one]) => (
          <button
            type="button"
            key={key}
            aria-pressed={one.grain === span.grain}
            onClick={() =>
              go(`${path}?${changed(parameters, { brand: brand.brand, span: key })}`, { replaces: true })
            }
          >
            {one.name}
          </button>
        ))}
      </fieldset>
      <Shown asked={hits} what="Reading the series">
        {(series) => (
          <>
            <div class="figures">
              <Figure
                name="Hits"
                value={bounded(series.hits ?? 0, undefined)}
                says={times.spanOf(series.from, series.to)}
              />
              <Figure
                name="Last week"
                value={whole(series.lastWeek?.hits ?? 0)}
                says={besideLastWeek(series)}
              />
              <VisitorsFigure told={people.value} />
            </div>
            <section class="card">
              <Chart
                title={`Hits of each ${series.grain}`}
                says={story(series.points, "hits", (text) => times.windowOf(text, series.grain))}
                times={series.points.map((point) => Date.parse(point.from) / 1000)}
                lines={[
                  {
                    name: "Hits",
                    look: "main",
                    values: drawn(series.points, "hits"),
                    soFar: soFar(series.points, "hits"),
                  },
                  {
                    name: "Visitors",
                    look: "second",
                    values: drawn(people.value?.points ?? [], "uniques"),
                    soFar: soFar(people.value?.points ?? [], "uniques"),
                  },
                  {
                    name: "Hits last week",
                    look: "faint",
                    values: series.points.map((_, place) => series.lastWeek?.points[place]?.hits ?? null),
                  },
                ]}
                zone={series.zone}
                height={260}
                timeName={(seconds) => times.windowOf(new Date(seconds * 1000).toISOString(), series.grain)}
              />
              {series.exact === false ? (
                <p class="about">
                  Some old windows keep only their top rows: hits are at least what is shown.
                </p>
              ) : null}
            </section>
          </>
        )}
      </Shown>
      <ReferrersPart of={{ asset }} hours={span.hours} />
    </>
  );
}

// The asset among the most read of the day, else of the week, else of just now, where a list of a day may have a hundred
// others that were read more: lists have labels that the catalogue may not.
function useListed(asset: string, isWanted: boolean): Item | undefined {
  const { brand } = useStanding();
  const query = { brand: brand.brand, limit: 100 };
  const find = (list: List | undefined) => list?.items.find((item) => item.assetId === asset);
  const day = useAsked<List>(isWanted ? "/v1/popular" : null, { ...query, period: "day" });
  const isMissing = day.value !== undefined && !find(day.value);
  const week = useAsked<List>(isWanted && isMissing ? "/v1/popular" : null, { ...query, period: "week" });
  const isRare = isMissing && week.value !== undefined && !find(week.value);
  const now = useAsked<List>(isWanted && isRare ? "/v1/popular" : null, { ...query, period: "justnow" });
  return find(day.value) ?? find(week.value) ?? find(now.value);
}

function Labels({ rows }: { rows: [string, string][] }) {
  if (!rows.length) return null;
  return (
    <dl class="labels-list">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
