// Screening: what hits were, why some were kept out, and what waits for a decision.
import { changed, go, place, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { wantedFrom } from "../filters.ts";
import { Named } from "../parts/Assets.tsx";
import { Periods } from "../parts/Filters.tsx";
import { Queue } from "../parts/Queue.tsx";
import { SharesOfHits } from "../parts/SharesOfHits.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { WhatIf } from "../parts/WhatIf.tsx";
import { reasonWords, refusalWords } from "../reasons.ts";
import type { Screening } from "../shapes.ts";
import { aligned, bounded, counted, LABELS, type Times, whole } from "../words.ts";

export function ScreeningPage() {
  const { brand, times, periods } = useStanding();
  const parameters = useParameters();
  const wanted = wantedFrom(parameters, periods);
  const query = { brand: brand.brand, period: wanted.period || "day", limit: 20 };
  const asked = useAsked<Screening>("/v1/screening", query, 10_000);
  return (
    <>
      <div class="head">
        <h1>Screening</h1>
        <Periods
          wanted={wanted}
          periods={periods}
          set={(changes) =>
            go(`${place.value.path}?${changed(parameters, { brand: brand.brand, ...changes })}`, {
              replaces: true,
            })
          }
        />
      </div>
      {facts.verdicts ? <Queue changed={asked.again} /> : null}
      <Shown asked={asked} what="Reading what screening found">
        {(found) => (
          <>
            <p class="about">
              {times.spanOf(found.from, found.to)} {brand.zone} ·{" "}
              {found.suspectedAreShown
                ? "lists show suspected hits among people’s; Settings can change that"
                : "lists leave suspected hits out"}
              {found.exact ? "" : " · counts are at least what is shown"}
              {found.withoutRow
                ? ` · ${counted(found.withoutRow, "hit")} of overfull minutes have no label`
                : ""}
            </p>
            <div class="columns even">
              <LabelTable found={found} />
              <ReasonTable found={found} />
            </div>
            <RefusedTable refused={found.refused} />
            <SuspectedTable found={found} />
          </>
        )}
      </Shown>
      {mayDo(brand.role, "editor") ? <WhatIf /> : null}
    </>
  );
}

function LabelTable({ found }: { found: Screening }) {
  return (
    <section class="card" aria-labelledby="labels-title">
      <h2 id="labels-title">What hits were</h2>
      <SharesOfHits
        what="Label"
        rows={found.labels.map((one) => ({ ...one, name: LABELS[one.label] ?? one.label }))}
        most={Math.max(1, found.hits)}
      />
    </section>
  );
}

// Which days the reasons are of: they are noted as each day begins, and older ones are only known in all.
function daysOf(found: Screening, times: Times): string {
  if (!found.reasonsSince) return "of all time: single days are not known that far back";
  const since = times.momentOf(found.reasonsSince);
  return found.reasonsUntil ? `${since} to ${times.momentOf(found.reasonsUntil)}` : `since ${since}`;
}

function ReasonTable({ found }: { found: Screening }) {
  const { times } = useStanding();
  return (
    <section class="card" aria-labelledby="reasons-title">
      <div class="card-head">
        <h2 id="reasons-title">Why</h2>
        <span class="about">{daysOf(found, times)}</span>
      </div>
      <Counts head="Reason" counts={found.reasons} words={reasonWords} empty="Nothing was screened" />
    </section>
  );
}

// Requests that proved nothing are no hits; most brands ask for no proofs and see nothing of this.
function RefusedTable({ refused }: { refused: Record<string, number> }) {
  if (!Object.keys(refused).length) return null;
  return (
    <section class="card" aria-labelledby="refused-title">
      <div class="card-head">
        <h2 id="refused-title">Requests that were refused</h2>
        <span class="about">no hits: their signature or token proved nothing; whole days of UTC</span>
      </div>
      <Counts head="Kind" counts={refused} words={refusalWords} empty="None" />
    </section>
  );
}

interface CountsProps {
  head: string;
  counts: Record<string, number>;
  words: (name: string) => string;
  empty: string;
}

function Counts({ head, counts, words, empty }: CountsProps) {
  const rows = Object.entries(counts);
  if (!rows.length) return <Empty title={empty} />;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col" class="number">
            {head === "Reason" ? "Hits" : "Requests"}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <th scope="row" title={name}>
              {words(name)}
            </th>
            <td class="number">{whole(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SuspectedTable({ found }: { found: Screening }) {
  const { brand } = useStanding();
  const items = found.items.filter((item) => item.suspected > 0);
  if (!items.length) return null;
  return (
    <section class="card" aria-labelledby="suspected-title">
      <h2 id="suspected-title">Assets with the most suspected hits</h2>
      <table class="assets">
        <thead>
          <tr>
            <th scope="col">Asset</th>
            <th scope="col" class="number">
              Suspected
            </th>
            <th scope="col" class="number">
              People
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.assetId}>
              <th scope="row" class="what">
                <Named item={item} brand={brand.brand} />
              </th>
              <td class="number">{bounded(item.suspected, item.suspectedAtMost)}</td>
              <td class="number">{whole(item.persons)}</td>
              <td class="number">{aligned(item.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
