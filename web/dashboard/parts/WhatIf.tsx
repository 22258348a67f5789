// What if: other limits and rules tried on the last hour or day, before anybody switches them on.
import { useState } from "preact/hooks";
import { assetAddress } from "../address.ts";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { reasonWords } from "../reasons.ts";
import { type Compared, differing, type InUse, questionOf, signed, type Trial } from "../trials.ts";
import { counted, LABELS, percent, whole } from "../words.ts";
import { Choice, Form, Input, Lines } from "./Form.tsx";
import { Link } from "./Link.tsx";
import { Shown } from "./states.tsx";

const TRY = "/v1/screening/try";
const PATIENCE_MS = 30_000; // The server tries for ten seconds at most.

export function WhatIf() {
  const { brand } = useStanding();
  const asked = useAsked<InUse>(TRY, { brand: brand.brand });
  const [trial, setTrial] = useState<Trial | null>(null);
  return (
    <section class="card" aria-labelledby="what-if-title">
      <h2 id="what-if-title">What if</h2>
      <p class="about">
        Try other limits and rules on hits that came already. Nothing is changed by it. What is left empty
        stays as it is.
      </p>
      <Shown asked={asked} what="Reading the rules in use">
        {({ mode, rules }) => (
          <Form
            label="Try other rules"
            button="Try"
            send={async (values) => {
              setTrial(null);
              setTrial(
                await send<Trial>(
                  "POST",
                  TRY,
                  questionOf(values, new Date()),
                  { brand: brand.brand },
                  PATIENCE_MS,
                ),
              );
              return undefined;
            }}
          >
            <div class="row">
              <Input
                name="repeatsMax"
                words="Hits of a visitor on one asset"
                type="number"
                value={String(rules.repeatsMax)}
                hint="more are suspected; 0: no limit"
                isOptional
              />
              <Input
                name="repeatsMinutes"
                words="within minutes"
                type="number"
                value={String(rules.repeatsMinutes)}
                isOptional
              />
              <Input
                name="visitorPerMinute"
                words="Hits of a visitor a minute"
                type="number"
                value={String(rules.visitorPerMinute)}
                hint="more are suspected; 0: no limit"
                isOptional
              />
            </div>
            <div class="row">
              <Lines
                name="paths"
                words="Blocked paths, one a line, such as /preview/*"
                rows={2}
                value={rules.paths.join("\n")}
                isOptional
              />
              <Lines name="referrerSpam" words="More domains of referrer spam" rows={2} isOptional />
            </div>
            <div class="row">
              <Choice
                name="mode"
                words="Mode"
                value={mode}
                options={[
                  ["observe", "observe: suspected hits are shown"],
                  ["hold", "hold: they are left out"],
                  ["filter", "filter: they are left out"],
                ]}
              />
              <Choice
                name="span"
                words="Tried on"
                options={[
                  ["hour", "the last hour"],
                  ["day", "the last 24 hours"],
                ]}
              />
            </div>
          </Form>
        )}
      </Shown>
      <div role="status">{trial ? <Outcome trial={trial} /> : null}</div>
    </section>
  );
}

function Outcome({ trial }: { trial: Trial }) {
  const { brand, times } = useStanding();
  const [labels, reasons] = [differing(trial.labels), differing(trial.reasons)];
  const gone = trial.shown.after - trial.shown.before;
  return (
    <div class="outcome">
      <p>
        <strong>
          {whole(trial.changed)} of {counted(trial.hits, "hit")}
          {trial.hits ? ` (${percent(trial.changed / trial.hits)})` : ""} would be labelled otherwise.
        </strong>{" "}
        Lists would show {gone ? `${signed(gone)} hits: ` : "the same "}
        {gone
          ? `${whole(trial.shown.after)} for ${whole(trial.shown.before)}`
          : counted(trial.shown.after, "hit")}
        .
      </p>
      {trial.complete ? null : (
        <p class="bad">
          There were too many hits to try them all in ten seconds: this is of those that came until{" "}
          {times.momentOf(trial.arrivedUntil ?? trial.to)}. Try the last hour, or the command line for all.
        </p>
      )}
      <div class="columns even">
        <Differences title="Label" rows={labels.map((one) => [LABELS[one.label] ?? one.label, one])} />
        <Differences title="Reason" rows={reasons.map((one) => [reasonWords(one.reason), one])} />
      </div>
      {trial.examples.length ? (
        <>
          <h3>Where</h3>
          <ul class="brief">
            {trial.examples.map((one) => (
              <li key={one.assetId}>
                <Link to={assetAddress(one.assetId, brand.brand)}>{one.assetId}</Link>
                <span class="number">{counted(one.hits, "hit")}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <p class="about">
        {times.spanOf(trial.from, trial.to)}
        {trial.withoutVisitor
          ? ` · ${counted(trial.withoutVisitor, "hit")} of readers who ask for privacy: limits cannot be tried on those`
          : ""}
        {trial.notTried.map((one) => ` · not tried: ${one.rule}, ${one.why}`).join("")}
      </p>
    </div>
  );
}

function Differences({ title, rows }: { title: string; rows: [string, Compared][] }) {
  if (!rows.length) return null;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {["Now", "Then", "Change"].map((head) => (
            <th scope="col" class="number" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([words, { before, after }]) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td class="number">{whole(before)}</td>
            <td class="number">{whole(after)}</td>
            <td class="number">{signed(after - before)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
