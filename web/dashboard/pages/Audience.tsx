// Audience over time: hits and visitors, beside a week earlier.
import { changed, go, place, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { besideLastWeek, drawn, soFar, story } from "../minutes.ts";
import { Chart } from "../parts/Chart.tsx";
import { Figure, VisitorsFigure } from "../parts/Figure.tsx";
import { ReferrersPart } from "../parts/Referrers.tsx";
import { Shown } from "../parts/states.tsx";
import type { Series } from "../shapes.ts";
import { whole } from "../words.ts";

// Referrers are told for a month at most.
const SPANS: Record<string, { name: string; grain: string; last: number; hours: number }> = {
  day: { name: "A day", grain: "hour", last: 24, hours: 24 },
  week: { name: "A week", grain: "hour", last: 168, hours: 168 },
  month: { name: "A month", grain: "day", last: 31, hours: 31 * 24 },
  year: { name: "A year", grain: "day", last: 365, hours: 31 * 24 },
};

export function AudiencePage() {
  const { brand, times } = useStanding();
  const parameters = useParameters();
  const chosen = parameters.get("span") ?? "day";
  const span = SPANS[chosen] ?? { name: "A day", grain: "hour", last: 24, hours: 24 };
  const query = { brand: brand.brand, grain: span.grain, last: span.last };
  const hits = useAsked<Series>("/v1/series", { ...query, compare: "lastWeek" }, 15_000);
  const people = useAsked<Series>("/v1/series", { ...query, measure: "uniques" }, 30_000);
  return (
    <>
      <div class="head">
        <h1>Audience over time</h1>
        <fieldset class="periods">
          <legend class="hidden">Span</legend>
          {Object.entries(SPANS).map(([name, one]) => (
            <button
              type="button"
              key={name}
              aria-pressed={one === span || (name === "day" && !SPANS[chosen])}
              onClick={() =>
                go(`${place.value.path}?${changed(parameters, { brand: brand.brand, span: name })}`, {
                  replaces: true,
                })
              }
            >
              {one.name}
            </button>
          ))}
        </fieldset>
      </div>
      <Shown asked={hits} what="Reading the series">
        {(series) => (
          <>
            <div class="figures">
              <Figure
                name="Hits"
                value={whole(series.hits ?? 0)}
                says={times.spanOf(series.from, series.to)}
              />
              <Figure
                name="A week earlier"
                value={whole(series.lastWeek?.hits ?? 0)}
                says={besideLastWeek(series)}
              />
              <VisitorsFigure
                name={people.value?.uniquesAre === "visitorDays" ? "Visitors, each day" : "Visitors"}
                told={people.value}
              />
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
                    name: "A week earlier",
                    look: "faint",
                    values: series.points.map((_, place) => series.lastWeek?.points[place]?.hits ?? null),
                  },
                ]}
                zone={series.zone}
                timeName={(seconds) => times.windowOf(new Date(seconds * 1000).toISOString(), series.grain)}
              />
            </section>
          </>
        )}
      </Shown>
      <Shown asked={people} what="Reading visitors">
        {(series) => (
          <section class="card">
            <Chart
              title={`Visitors of each ${series.grain}`}
              says={story(series.points, "uniques", (text) => times.windowOf(text, series.grain))}
              times={series.points.map((point) => Date.parse(point.from) / 1000)}
              lines={[
                {
                  name: "Visitors",
                  look: "main",
                  values: drawn(series.points, "uniques"),
                  soFar: soFar(series.points, "uniques"),
                },
              ]}
              zone={series.zone}
              timeName={(seconds) => times.windowOf(new Date(seconds * 1000).toISOString(), series.grain)}
            />
            <p class="about">
              Visitors are estimated; the truth is within the bounds in 95 of 100 cases. Nobody is followed
              from one day to the next.
            </p>
          </section>
        )}
      </Shown>
      <ReferrersPart of={{}} hours={span.hours} />
    </>
  );
}
