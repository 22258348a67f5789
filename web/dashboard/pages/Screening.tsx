// Screening: what hits were, why some were kept out, and what waits for a decision.
import { useState } from "preact/hooks";
import { changed, go, place, useParameters } from "../address.ts";
import { type Problem, send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { reasonWords } from "../books.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { wantedFrom } from "../filters.ts";
import { Named } from "../parts/Assets.tsx";
import { Periods } from "../parts/Filters.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Screening, Verdict, Verdicts } from "../shapes.ts";
import { notesOf } from "../verdicts.ts";
import { LABELS, percent, whole } from "../words.ts";

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
      {facts.verdicts ? <Queue /> : null}
      <Shown asked={asked} what="Reading what screening found">
        {(found) => (
          <>
            <p class="about">
              {times.spanOf(found.from, found.to)} {brand.zone} ·{" "}
              {found.suspectedAreShown
                ? "suspected hits are shown in the lists (mode observe)"
                : "suspected hits are kept out of the lists"}
            </p>
            <div class="columns even">
              <LabelTable found={found} />
              <ReasonTable reasons={found.reasons} />
            </div>
            <SuspectedTable found={found} />
          </>
        )}
      </Shown>
    </>
  );
}

function LabelTable({ found }: { found: Screening }) {
  return (
    <section class="card" aria-labelledby="labels-title">
      <h2 id="labels-title">What hits were</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col" class="number">
              Hits
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {found.labels.map((one) => (
            <tr key={one.label} class={one.hits ? "" : "none"}>
              <th scope="row">{LABELS[one.label] ?? one.label}</th>
              <td class="number hits">
                <span class="measured">
                  <progress class="share" value={one.hits} max={Math.max(1, found.hits)} aria-hidden="true" />
                  {whole(one.hits)}
                </span>
              </td>
              <td class="number">{percent(one.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ReasonTable({ reasons }: { reasons: Record<string, number> }) {
  const rows = Object.entries(reasons);
  return (
    <section class="card" aria-labelledby="reasons-title">
      <h2 id="reasons-title">Why, since the beginning</h2>
      {rows.length ? (
        <table>
          <thead>
            <tr>
              <th scope="col">Reason</th>
              <th scope="col" class="number">
                Hits
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([reason, hits]) => (
              <tr key={reason}>
                <th scope="row">{reasonWords(reason)}</th>
                <td class="number">{whole(hits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <Empty title="Nothing was screened" />
      )}
    </section>
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
              <td class="number">{whole(item.suspected)}</td>
              <td class="number">{whole(item.persons)}</td>
              <td class="number">{percent(item.share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// What the judge found and an operator has not settled.
function Queue() {
  const { brand } = useStanding();
  const [state, setState] = useState("waiting");
  const asked = useAsked<Verdicts>(
    "/v1/screening/verdicts",
    { brand: brand.brand, state, limit: 50 },
    10_000,
  );
  return (
    <section class="card" aria-labelledby="queue-title">
      <div class="card-head">
        <h2 id="queue-title">
          Review queue {asked.value ? <span class="tag">{whole(asked.value.waiting)} waiting</span> : null}
        </h2>
        <fieldset class="periods">
          <legend class="hidden">Which</legend>
          {["waiting", "settled"].map((one) => (
            <button type="button" key={one} aria-pressed={state === one} onClick={() => setState(one)}>
              {one === "waiting" ? "Waiting" : "Settled"}
            </button>
          ))}
        </fieldset>
      </div>
      <Shown asked={asked} what="Reading the queue">
        {(verdicts) =>
          verdicts.items.length ? (
            <ul class="verdicts">
              {verdicts.items.map((verdict) => (
                <VerdictCard key={verdict.id} verdict={verdict} again={asked.again} />
              ))}
            </ul>
          ) : (
            <Empty title={state === "waiting" ? "Nothing waits for a decision" : "Nothing was decided yet"} />
          )
        }
      </Shown>
    </section>
  );
}

function VerdictCard({ verdict, again }: { verdict: Verdict; again: () => void }) {
  const { brand, times } = useStanding();
  const [said, setSaid] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const decide = async (decision: "confirm" | "release") => {
    setIsBusy(true);
    try {
      const at = `/v1/screening/verdicts/${encodeURIComponent(verdict.id)}`;
      await send("POST", at, { decision }, { brand: brand.brand });
      setSaid(decision === "confirm" ? "Confirmed." : "Released.");
      again();
    } catch (error) {
      setSaid((error as Problem).message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <li class="verdict">
      <div class="verdict-head">
        <strong>
          {verdict.kind === "asset" ? "Asset" : "Visitor"} <code>{verdict.subject}</code>
        </strong>
        <span class="tag">{verdict.state}</span>
        <span class="about">
          {times.spanOf(verdict.from, verdict.to)} · score {verdict.score.toFixed(1)} · by {verdict.by}
        </span>
      </div>
      <p>{verdict.words || reasonWords(verdict.cause)}</p>
      <table class="notes">
        <caption class="hidden">What made it unusual</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">Feature</th>
            <th scope="col">Part of the score</th>
            <th scope="col">Measured</th>
          </tr>
        </thead>
        <tbody>
          {notesOf(verdict.explanation).map((note) => (
            <tr key={note.feature}>
              <th scope="row">
                {note.words}{" "}
                <span class="about">{note.direction === "high" ? "▲ higher" : "▼ lower"} than usual</span>
              </th>
              <td class="bar">
                <span class="measured">
                  <progress value={note.share} max={1} aria-label={`${note.words}: part of the score`} />
                  {percent(note.share)}
                </span>
              </td>
              <td class="number">{note.value.toLocaleString("en", { maximumSignificantDigits: 3 })}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {mayDo(brand.role, "admin") ? (
        <p class="acts">
          {verdict.state === "released" ? null : (
            <button type="button" disabled={isBusy} onClick={() => void decide("release")}>
              Release: these are readers
            </button>
          )}
          {verdict.state === "confirmed" ? null : (
            <button type="button" disabled={isBusy} onClick={() => void decide("confirm")}>
              Confirm: keep out
            </button>
          )}
          <span role="status">{said}</span>
        </p>
      ) : null}
    </li>
  );
}
