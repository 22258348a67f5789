// A metric's numbers over hours, days and longer periods: a chart and the same as a table, and what they are made of.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { changed, go, metricAddress, place, useParameters } from "../address.ts";
import { addressWith } from "../api.ts";
import { useAsked } from "../asking.ts";
import { serverNow } from "../clock.ts";
import { type Chosen, chosenIn, conditionsIn, groupingIn, textsOf } from "../conditions.ts";
import { useStanding } from "../context.ts";
import { byWords } from "../deeds.ts";
import { dayOf, dayStart, escaped } from "../filters.ts";
import { dayWords, definitionWords, isPlain, type Metric, periodWords, unitWords } from "../metrics.ts";
import {
  amount,
  begunHours,
  coverageWords,
  drawnFrom,
  firstKnown,
  type Group,
  movedDay,
  type Numbers,
  numbersStory,
  openHour,
  openPlace,
  parted,
  rangeOf,
  spanIn,
  tick,
} from "../numbers.ts";
import { ago, knownZone, whole } from "../words.ts";
import { Chart, type Line } from "./Chart.tsx";
import { Figure } from "./Figure.tsx";
import { Formula } from "./Formula.tsx";
import { Link } from "./Link.tsx";
import { Loading, Refused } from "./states.tsx";
import { WhichNumbers } from "./WhichNumbers.tsx";

const LOOKS = ["main", "second", "faint"] as const; // More lines than these could not be told apart.
const COLUMNS_MAX = 50;
const EVERY_MS = 60_000;
const MEASURE = { said: amount, tick, range: rangeOf };

export interface NumbersProps {
  metric: Metric;
  dimensions: readonly string[] | undefined; // what it can be grouped by; not known yet
}

export function NumbersPart({ metric, dimensions }: NumbersProps) {
  const { brand } = useStanding();
  const parameters = useParameters();
  const today = dayOf(new Date(serverNow()).toISOString(), knownZone(brand.zone));
  const span = spanIn(parameters, today);
  const by = groupingIn(parameters, dimensions ?? []);
  const conditions = conditionsIn(parameters);
  const chosen = chosenIn(parameters);
  const path = `/v1/metrics/${encodeURIComponent(metric.name)}/data`;
  const question = {
    brand: brand.brand,
    grain: span.grain,
    from: span.from,
    to: span.to,
    by: by.map(escaped),
    where: textsOf(conditions),
    ...chosen,
  };
  const asked = useAsked<Numbers>(parameters.has("by") && !dimensions ? null : path, question, EVERY_MS);
  // What is drawn stays until the next is there, so that a table that somebody opened does not close.
  const kept = useRef<Numbers | undefined>(undefined);
  kept.current = asked.value ?? kept.current;
  const set = (changes: Record<string, string | readonly string[]>) =>
    go(`${place.value.path}?${changed(parameters, { brand: brand.brand, ...changes })}`, { replaces: true });
  const which = { metric, span, today, by, conditions, chosen, dimensions: dimensions ?? [], set };
  return (
    <section class="card metric" aria-labelledby="numbers-title">
      <h2 id="numbers-title">Its numbers</h2>
      <WhichNumbers {...which} />
      <Older metric={metric} chosen={chosen} back={() => set({ version: "", asOf: "" })} />
      {asked.problem ? (
        <Refused problem={asked.problem} again={asked.again} />
      ) : kept.current ? (
        <Told numbers={kept.current} metric={metric} today={today}>
          <a
            class="button quiet"
            href={addressWith(path, { ...question, format: "csv" })}
            download={`${metric.name} ${span.from}.csv`}
          >
            Download CSV
          </a>
        </Told>
      ) : (
        <Loading what="Computing its numbers" />
      )}
    </section>
  );
}

// Whoever is sent an address with an older definition is told so, and what it was.
function Older({ metric, chosen, back }: { metric: Metric; chosen: Chosen; back: () => void }) {
  const { brand, times } = useStanding();
  const isOlder = Boolean(chosen.version || chosen.asOf);
  const asked = useAsked<Metric>(isOlder ? `/v1/metrics/${encodeURIComponent(metric.name)}` : null, {
    brand: brand.brand,
    ...chosen,
  });
  const then = asked.value;
  if (!isOlder || !then) return null;
  return (
    <div class="warning older" role="note">
      <p>
        <strong>By version {then.version}</strong>, {times.dateOf(then.updatedAt)} by{" "}
        {byWords(then.updatedBy)}
        {then.version === metric.version ? ", which is the newest" : `; the newest is ${metric.version}`}
        {chosen.asOf ? `. What it needs is as it was at ${times.dateOf(chosen.asOf)}, too` : ""}.{" "}
        <button type="button" class="quiet" onClick={back}>
          Show the newest
        </button>
      </p>
      {then.hybridFormula ? <Formula text={then.hybridFormula} /> : <p>{definitionWords(then).join(" ")}</p>}
    </div>
  );
}

interface ToldProps {
  numbers: Numbers;
  metric: Metric;
  today: string;
  children: ComponentChildren; // what can be done with them
}

function Told({ numbers, metric, today, children }: ToldProps) {
  const { brand } = useStanding();
  const zone = knownZone(brand.zone);
  const isHours = numbers.grain === "hour";
  const items = isHours ? begunHours(numbers.items, serverNow()) : numbers.items;
  const drawn = drawnFrom({ items, by: numbers.by }, numbers.metric);
  const open = isHours ? openHour(drawn.periods, serverNow()) : openPlace(drawn.periods, numbers.to, today);
  const said = (period: string) => periodWords(period, numbers.grain, zone);
  const first = firstKnown(drawn);
  const lines = drawn.groups.map((group, place) => lineOf(group, place, open));
  const at = drawn.periods.map((period) => Date.parse(isHours ? period : dayStart(period, zone)) / 1000);
  const names = new Map(drawn.periods.map((period, place) => [at[place], said(period)]));
  const unit = unitWords(numbers.unit);
  const hasNone = !drawn.groups.some((group) => group.size > 0 || group.values.some((one) => one !== null));
  const used = numbers.versions[numbers.metric]?.version ?? metric.version;
  const name = used === metric.version ? numbers.metric : `${numbers.metric}, version ${used}`;
  return (
    <>
      <div class="figures">
        <Figure
          name={drawn.groups.length > 1 ? "Groups" : `Last whole ${numbers.grain}`}
          value={lastOf(drawn.groups, open)}
          says={unit}
        />
        <Figure
          name={isHours ? "Hours with data" : "Days with data"}
          value={coverageWords(numbers.coverage)}
          says={lacking(numbers)}
        />
        <Fresh at={numbers.freshness} />
        <Figure
          name="Exact"
          value={hasNone ? "–" : numbers.exact ? "yes" : "about"}
          says={hasNone ? "" : numbers.exact ? "every number is certain" : "some of it is estimated"}
        />
        <Figure
          name="Version"
          value={String(used)}
          says={used === metric.version ? "the newest" : `the newest is ${metric.version}`}
        />
      </div>
      {hasNone ? (
        <p class="about" role="status">
          There are no numbers from {dayWords(numbers.from)} to {dayWords(movedDay(numbers.to, -1))}
          {Object.keys(numbers.where ?? {}).length ? " under these conditions" : ""}.{" "}
          <Coming metric={metric} />
        </p>
      ) : (
        <Chart
          title={!isPlain(numbers.unit) && unit !== name ? `${name}, ${unit}` : name}
          says={numbersStory(drawn, said)}
          times={at}
          lines={lines.slice(0, LOOKS.length)}
          all={lines.slice(0, COLUMNS_MAX)}
          zone={zone}
          measure={MEASURE}
          timeName={(seconds) => names.get(seconds) ?? ""}
        />
      )}
      {lines.length > LOOKS.length ? (
        <p class="about">
          The largest {LOOKS.length} of {whole(lines.length)} groups are drawn; the table has{" "}
          {lines.length > COLUMNS_MAX ? `the largest ${COLUMNS_MAX}` : "all"}.
        </p>
      ) : null}
      {first ? <p class="about">There are no numbers before {said(first)}.</p> : null}
      <Seams numbers={numbers} />
      <Given numbers={numbers} />
      {hasNone ? null : <p class="acts">{children}</p>}
    </>
  );
}

// Where numbers come from that are not there yet; nobody can send those of a formula.
function Coming({ metric }: { metric: Metric }) {
  if (metric.valueType === "HYBRID") return <>They come with those of what it is computed from.</>;
  if (metric.source?.counts) return <>They come with the next hits.</>;
  return (
    <>
      They come when somebody sends them to{" "}
      <code>POST /v1/metrics/{encodeURIComponent(metric.name)}/data</code>.
    </>
  );
}

function lineOf(group: Group, place: number, open: number): Line {
  return { name: group.name, look: LOOKS[place] ?? "faint", ...parted(group.values, open) };
}

// The newest number that stays as it is; of several groups each has its own, and the chart tells them.
function lastOf(groups: readonly Group[], open: number): string {
  if (groups.length !== 1) return groups.length ? whole(groups.length) : "–";
  const known = (groups[0]?.values ?? []).filter((value, place) => value !== null && place !== open);
  const last = known.at(-1);
  return last === null || last === undefined ? "–" : amount(last);
}

// Which of the metrics that it is made of lack some of the span.
function lacking({ coverage }: Numbers): string {
  const names = Object.entries(coverage.metrics)
    .filter(([, one]) => one.withData < (one.days ?? one.hours ?? 0))
    .map(([name]) => name);
  if (!names.length) return "nothing is missing";
  return `missing of ${names.slice(0, 3).map(isolated).join(", ")}${names.length > 3 ? " and others" : ""}`;
}

// A name of any script keeps to itself: without it, one from right to left would turn its neighbours round.
function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}

function Fresh({ at }: { at: string | null }) {
  const { times } = useStanding();
  if (!at) return <Figure name="Fresh until" value="–" says="no data yet" />;
  return (
    <Figure
      name="Fresh until"
      value={times.momentOf(at)}
      says={ago((serverNow() - Date.parse(at)) / 1_000)}
    />
  );
}

// Where the numbers of another metric end and its own begin.
function Seams({ numbers }: { numbers: Numbers }) {
  return (
    <>
      {numbers.seams.map((seam) => (
        <p class="about" key={seam.metric + seam.cutoffDate}>
          Before {dayWords(seam.cutoffDate)} the numbers of {seam.metric} are those of {seam.chainedMetric}.
          {seam.missing?.length
            ? ` No number can be given for ${seam.missing.map((one) => periodWords(one, numbers.grain)).join(", ")}, which lies on both sides.`
            : ""}
        </p>
      ))}
    </>
  );
}

// Which versions of which definitions gave the numbers.
function Given({ numbers }: { numbers: Numbers }) {
  const { brand } = useStanding();
  return (
    <p class="about given">
      Given by{" "}
      {Object.entries(numbers.versions).map(([name, used], place) => (
        <span key={name}>
          {place ? ", " : ""}
          {name === numbers.metric ? (
            <strong>
              <bdi>{name}</bdi>
            </strong>
          ) : (
            <Link to={metricAddress(name, brand.brand)}>
              <bdi>{name}</bdi>
            </Link>
          )}{" "}
          version {used.version} <code title={used.hash}>{used.hash.slice(0, 8)}</code>
        </span>
      ))}
      .
    </p>
  );
}
