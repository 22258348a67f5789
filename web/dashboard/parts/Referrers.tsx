// Where readers came from: one row for each source, readable without its bar.
import { addressWith } from "../api.ts";
import { useAsked, useKept } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts } from "../facts.ts";
import type { Referrers } from "../shapes.ts";
import { hoursBack, sourceName } from "../sources.ts";
import { counted } from "../words.ts";
import { SharesOfHits } from "./SharesOfHits.tsx";
import { Shown } from "./states.tsx";

const SHOWN = 12;

export function ReferrersPart({ of, hours }: { of: Record<string, string>; hours: number }) {
  const { brand } = useStanding();
  // Lists may be for everybody where this is not: then there is nothing to ask.
  const mayRead = brand.role !== undefined || facts.brands.some((one) => one.brand === brand.brand);
  const query = { brand: brand.brand, ...of, from: hoursBack(Date.now(), hours), limit: SHOWN };
  const answer = useAsked<Referrers>(mayRead ? "/v1/referrers" : null, query, 30_000);
  const asked = useKept(answer, addressWith("", { brand: brand.brand, ...of }));
  if (!mayRead) return null;
  return (
    <section class="card" aria-labelledby="referrers">
      <h2 id="referrers">Where readers came from</h2>
      <Shown asked={asked} what="Reading referrers">
        {(told) => <Told told={told} />}
      </Shown>
    </section>
  );
}

function Told({ told }: { told: Referrers }) {
  const { times } = useStanding();
  const isShort = told.since !== null && Date.parse(told.since) > Date.parse(told.from);
  return (
    <>
      <p class="about">
        {times.spanOf(told.from, told.to)} · {counted(told.hits, "hit")}
        {told.until ? `, counted until ${times.clockOf(told.until)}` : ""}
      </p>
      {told.sources.length ? <Sources told={told} /> : <p>{nothing(told)}</p>}
      {isShort ? <p class="about">Referrers are counted since {times.momentOf(told.since ?? "")}.</p> : null}
      {told.exact || isShort || !told.until ? null : (
        <p class="about">Small sources are told together: hits are at least what is shown.</p>
      )}
    </>
  );
}

function Sources({ told }: { told: Referrers }) {
  const most = Math.max(1, told.sources[0]?.hits ?? 1);
  const rows = told.sources.map((one) => ({
    name: sourceName(one.source),
    hits: one.hits,
    share: one.share,
  }));
  if (told.other) {
    rows.push({ name: "All others", hits: told.other, share: told.other / Math.max(1, told.hits) });
  }
  return <SharesOfHits what="Source" rows={rows} most={most} />;
}

function nothing(told: Referrers): string {
  return told.until ? "Nobody came in this span." : "Nothing is counted yet, or counting referrers is off.";
}
