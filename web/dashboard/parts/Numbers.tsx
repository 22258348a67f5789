// A metric's numbers over days, weeks or months: a chart and the same as a table, and what they are made of.
import { useRef } from "preact/hooks";
import { changed, go, metricAddress, place, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { serverNow } from "../clock.ts";
import { useStanding } from "../context.ts";
import { dayOf, dayStart } from "../filters.ts";
import { dayWords, periodWords, unitWords } from "../metrics.ts";
import {
  amount,
  coverageWords,
  drawnFrom,
  GRAINS,
  type Group,
  isDay,
  movedDay,
  type Numbers,
  numbersStory,
  openPlace,
  parted,
  rangeOf,
  type Span,
  spanIn,
  tick,
} from "../numbers.ts";
import { ago, knownZone, whole } from "../words.ts";
import { Chart, type Line } from "./Chart.tsx";
import { Figure } from "./Figure.tsx";
import { Link } from "./Link.tsx";
import { Loading, Refused } from "./states.tsx";

const LOOKS = ["main", "second", "faint"] as const; // More lines than these could not be told apart.
const COLUMNS_MAX = 50;
const EVERY_MS = 60_000;
const MEASURE = { said: amount, tick, range: rangeOf };

export interface NumbersProps {
  metric: string;
  dimensions: readonly string[] | undefined; // what it can be grouped by; not known yet
}

export function NumbersPart({ metric, dimensions }: NumbersProps) {
  const { brand } = useStanding();
  const parameters = useParameters();
  const today = dayOf(new Date(serverNow()).toISOString(), knownZone(brand.zone));
  const span = spanIn(parameters, today);
  const wanted = parameters.get("by") ?? "";
  const by = dimensions?.includes(wanted) ? wanted : "";
  const asked = useAsked<Numbers>(
    wanted && !dimensions ? null : `/v1/metrics/${encodeURIComponent(metric)}/data`,
    { brand: brand.brand, grain: span.grain, from: span.from, to: span.to, by },
    EVERY_MS,
  );
  // What is drawn stays until the next is there, so that a table that somebody opened does not close.
  const kept = useRef<Numbers | undefined>(undefined);
  kept.current = asked.value ?? kept.current;
  const set = (changes: Record<string, string>) =>
    go(`${place.value.path}?${changed(parameters, { brand: brand.brand, ...changes })}`, { replaces: true });
  return (
    <section class="card metric" aria-labelledby="numbers-title">
      <h2 id="numbers-title">Its numbers</h2>
      <Choices span={span} today={today} by={by} dimensions={dimensions ?? []} set={set} />
      {asked.problem ? (
        <Refused problem={asked.problem} again={asked.again} />
      ) : kept.current ? (
        <Told numbers={kept.current} today={today} />
      ) : (
        <Loading what="Computing its numbers" />
      )}
    </section>
  );
}

interface ChoicesProps {
  span: Span;
  today: string;
  by: string;
  dimensions: readonly string[];
  set: (changes: Record<string, string>) => void;
}

function Choices({ span, today, by, dimensions, set }: ChoicesProps) {
  const show = (from: string, last: string) => {
    if (isDay(from) && isDay(last) && from <= last) set({ from, to: movedDay(last, 1) });
  };
  const last = movedDay(span.to, -1);
  return (
    <form class="row choose" aria-label="Which numbers" onSubmit={(event) => event.preventDefault()}>
      <fieldset class="periods">
        <legend class="hidden">Periods</legend>
        {GRAINS.map(([grain, words]) => (
          <button
            type="button"
            key={grain}
            aria-pressed={grain === span.grain}
            onClick={() => set({ grain, from: "", to: "" })}
          >
            {words}
          </button>
        ))}
      </fieldset>
      <label class="field">
        <span>From</span>
        <input
          type="date"
          value={span.from}
          max={today}
          onChange={(event) => show(event.currentTarget.value, last)}
        />
      </label>
      <label class="field">
        <span>to the end of</span>
        <input type="date" value={last} onChange={(event) => show(span.from, event.currentTarget.value)} />
      </label>
      {dimensions.length ? (
        <label class="field">
          <span>Grouped by</span>
          <select value={by} onChange={(event) => set({ by: event.currentTarget.value })}>
            <option value="">nothing</option>
            {dimensions.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      ) : null}
    </form>
  );
}

function Told({ numbers, today }: { numbers: Numbers; today: string }) {
  const { brand } = useStanding();
  const zone = knownZone(brand.zone);
  const drawn = drawnFrom(numbers, numbers.metric);
  const open = openPlace(drawn.periods, numbers.to, today);
  const lines = drawn.groups.map((group, place) => lineOf(group, place, open));
  const at = drawn.periods.map((period) => Date.parse(dayStart(period, zone)) / 1000);
  const names = new Map(
    drawn.periods.map((period, place) => [at[place], periodWords(period, numbers.grain)]),
  );
  const unit = unitWords(numbers.unit);
  const hasNone = !drawn.groups.some((group) => group.size > 0 || group.values.some((one) => one !== null));
  return (
    <>
      <div class="figures">
        <Figure
          name={drawn.groups.length > 1 ? "Groups" : `Last whole ${numbers.grain}`}
          value={lastOf(drawn.groups, open)}
          says={unit || "without a unit"}
        />
        <Figure name="Days with data" value={coverageWords(numbers.coverage)} says={lacking(numbers)} />
        <Fresh at={numbers.freshness} />
        <Figure
          name="Exact"
          value={numbers.exact ? "yes" : "about"}
          says={numbers.exact ? "every number is certain" : "some of it is estimated"}
        />
      </div>
      {hasNone ? (
        <p class="about" role="status">
          There are no numbers from {dayWords(numbers.from)} to {dayWords(movedDay(numbers.to, -1))}. They
          come with the next hits, or when somebody sends them to{" "}
          <code>POST /v1/metrics/{encodeURIComponent(numbers.metric)}/data</code>.
        </p>
      ) : (
        <Chart
          title={unit ? `${numbers.metric}, ${unit}` : numbers.metric}
          says={numbersStory(drawn, (period) => periodWords(period, numbers.grain))}
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
      <Seams numbers={numbers} />
      <Given numbers={numbers} />
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
  return `missing of ${names.slice(0, 3).join(", ")}${names.length > 3 ? " and others" : ""}`;
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
            <strong>{name}</strong>
          ) : (
            <Link to={metricAddress(name, brand.brand)}>{name}</Link>
          )}{" "}
          version {used.version} <code title={used.hash}>{used.hash.slice(0, 8)}</code>
        </span>
      ))}
      .
    </p>
  );
}
