// Most read: any period or span, any filter, all of it in the address.
import { changed, go, place, useParameters } from "../address.ts";
import { addressWith } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { filtersSaid, questionOf, sparkOf, visitorsQuestionOf, wantedFrom } from "../filters.ts";
import { AssetTable, type Column, hitsColumn } from "../parts/Assets.tsx";
import { Filters } from "../parts/Filters.tsx";
import { Spark } from "../parts/Spark.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Item, List } from "../shapes.ts";
import { bounded, exactWords, knownZone, whole } from "../words.ts";

const EVERY_MS = 10_000;
const VISITORS_EVERY_MS = 60_000; // They are read from the store, so that they are asked for less often.

export function MostReadPage() {
  const { brand, times, periods } = useStanding();
  const parameters = useParameters();
  const wanted = wantedFrom(parameters, periods, knownZone(brand.zone));
  const question = questionOf(brand.brand, wanted);
  const asked = useAsked<List>("/v1/popular", question, EVERY_MS);
  const visited = useAsked<List>(
    wanted.sort === "uniques" ? null : "/v1/popular",
    visitorsQuestionOf(question),
    VISITORS_EVERY_MS,
  ).value;
  const set = (changes: Record<string, string>) => {
    const next = changed(parameters, { brand: brand.brand, ...changes });
    go(`${place.value.path}?${next}`, { replaces: true });
  };
  const spark = sparkOf(wanted.period);
  const sparks: Column = {
    name: "Lately",
    class: "lately",
    cell: (item) => <Spark brand={brand.brand} asset={item.assetId} {...spark} />,
  };
  return (
    <>
      <div class="head">
        <h1>Most read</h1>
        <a
          class="button quiet"
          href={addressWith("/v1/popular", { ...question, format: "csv" })}
          download="most-read.csv"
        >
          Download CSV
        </a>
      </div>
      <Filters wanted={wanted} set={set} />
      <section class="card" aria-label="The list">
        <Shown asked={asked} what="Reading the list">
          {(list) => (
            <>
              <p class="about">
                {times.spanOf(list.from, list.to)} {brand.zone} · {exactWords(list.exact)}
                {list.keptSince ? ` · all is kept since ${times.momentOf(list.keptSince)} only` : ""}
                {list.sort === "uniques"
                  ? ` · by ${list.uniquesAre === "visitors" ? "visitors" : "visitors of each day"}`
                  : ""}
              </p>
              {list.items.length ? (
                <AssetTable
                  items={list.items}
                  brand={brand.brand}
                  caption={["The most read", ...filtersSaid(wanted)].join(", ")}
                  columns={[...columnsOf(list, visited), sparks]}
                />
              ) : (
                <Empty title="Nothing was read in this span">
                  <p>
                    {filtersSaid(wanted).length
                      ? "Take a filter away, or choose a longer period."
                      : "Choose a longer period."}
                  </p>
                </Empty>
              )}
            </>
          )}
        </Shown>
      </section>
    </>
  );
}

function columnsOf(list: List, visited: List | undefined): Column[] {
  const hits = hitsColumn(Math.max(...list.items.map((item) => item.hits)));
  const source = list.sort === "uniques" ? list : visited;
  if (!source?.items.length) return [hits];
  const told = new Map(source.items.map((item) => [item.assetId, item]));
  const visitors: Column = {
    name: "Visitors",
    isNumber: true,
    cell: ({ assetId }) => <Visitors told={told.get(assetId)} />,
  };
  return list.sort === "uniques" ? [visitors, hits] : [hits, visitors];
}

function Visitors({ told }: { told: Item | undefined }) {
  if (told?.uniques === undefined) return <span title="not among the hundred with the most visitors">–</span>;
  const { uniques, uniquesAtLeast = 0, uniquesAtMost = 0 } = told;
  return (
    <span title={`${whole(uniquesAtLeast)} to ${bounded(uniquesAtMost ?? 0, undefined)}, in 95 of 100 cases`}>
      {whole(uniques)}
    </span>
  );
}
