// Chooses which of a metric's numbers are shown: periods, days, groups, conditions, and by which definition.
import { useState } from "preact/hooks";
import { useAsked } from "../asking.ts";
import {
  type Chosen,
  type Condition,
  conditionWords,
  GROUPED_MAX,
  textsOf,
  versionsToChoose,
  withoutValue,
  withValue,
} from "../conditions.ts";
import { useStanding } from "../context.ts";
import { dayOf, dayStart, escaped } from "../filters.ts";
import type { Metric } from "../metrics.ts";
import { GRAINS, isDay, movedDay, type Numbers, type Span } from "../numbers.ts";
import { knownZone } from "../words.ts";

export interface WhichProps {
  metric: Metric;
  span: Span;
  today: string;
  by: readonly string[];
  conditions: readonly Condition[];
  chosen: Chosen;
  dimensions: readonly string[];
  set: (changes: Record<string, string | readonly string[]>) => void;
}

export function WhichNumbers(props: WhichProps) {
  const { span, today, by, dimensions, set } = props;
  const show = (from: string, last: string) => {
    if (isDay(from) && isDay(last) && from <= last) set({ from, to: movedDay(last, 1) });
  };
  const last = movedDay(span.to, -1);
  const group = (place: number, name: string) =>
    set({ by: by.with(place, name).filter(Boolean).map(escaped).join(",") });
  const groups = [...by, ""].slice(0, Math.min(GROUPED_MAX, dimensions.length));
  return (
    <>
      <form class="row choose" aria-label="Which numbers" onSubmit={(event) => event.preventDefault()}>
        <fieldset class="periods">
          <legend class="hidden">Periods</legend>
          {GRAINS.filter(([grain]) => grain !== "hour" || hasHours(props.metric)).map(([grain, words]) => (
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
        {groups.map((chosen, place) => (
          <label class="field" key={place === 0 ? "first" : "second"}>
            <span>{place ? "and by" : "Grouped by"}</span>
            <select
              value={chosen}
              onChange={(event) =>
                place < by.length
                  ? group(place, event.currentTarget.value)
                  : set({ by: [...by, event.currentTarget.value].map(escaped).join(",") })
              }
            >
              <option value="">nothing</option>
              {dimensions
                .filter((one) => one === chosen || !by.includes(one))
                .map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
            </select>
          </label>
        ))}
      </form>
      <Narrower {...props} />
    </>
  );
}

// Numbers that are sent are of days; what a formula needs may be footfall's own.
function hasHours({ valueType, source }: Metric): boolean {
  return valueType === "HYBRID" || Boolean(source?.counts);
}

// What fewer people want: closed until somebody opens it, or the address has some of it.
function Narrower(props: WhichProps) {
  const { conditions, chosen, dimensions } = props;
  const said = [
    ...conditions.map(conditionWords),
    ...(chosen.version || chosen.asOf ? ["by an older definition"] : []),
  ];
  const [isOpen] = useState(said.length > 0);
  return (
    <details class="more narrower" open={isOpen}>
      <summary>
        {dimensions.length ? "Conditions and older definitions" : "Older definitions"}
        {said.length ? `: ${said.join(", ")}` : ""}
      </summary>
      {dimensions.length || conditions.length ? <Conditions {...props} /> : null}
      <Definitions {...props} />
    </details>
  );
}

function Conditions({ metric, span, conditions, dimensions, set }: WhichProps) {
  const { brand } = useStanding();
  const [dimension, setDimension] = useState(dimensions[0] ?? "");
  const [value, setValue] = useState("");
  const [isLookedAt, setIsLookedAt] = useState(false);
  const name = dimensions.includes(dimension) ? dimension : (dimensions[0] ?? "");
  // Which values there are is asked when somebody is about to type one.
  const known = useAsked<Numbers>(
    isLookedAt && name ? `/v1/metrics/${encodeURIComponent(metric.name)}/data` : null,
    { brand: brand.brand, grain: "year", from: span.from, to: span.to, by: escaped(name) },
  );
  const values = new Set((known.value?.items ?? []).map((one) => one.dimensions[name] ?? ""));
  const keep = (next: readonly Condition[]) => set({ where: textsOf(next) });
  return (
    <>
      {conditions.length ? (
        <ul class="kept" aria-label="Conditions">
          {conditions.flatMap((one) =>
            one.values.map((text) => (
              <li key={`${one.dimension}:${text}`}>
                <button
                  type="button"
                  class="quiet"
                  onClick={() => keep(withoutValue(conditions, one.dimension, text))}
                >
                  <span class="hidden">Leave out </span>
                  <bdi>{one.dimension}:</bdi> <bdi>{text || "not told"}</bdi>
                  <span aria-hidden="true">×</span>
                </button>
              </li>
            )),
          )}
        </ul>
      ) : null}
      {dimensions.length ? (
        <form
          class="row choose"
          aria-label="Add a condition"
          onSubmit={(event) => {
            event.preventDefault();
            keep(withValue(conditions, name, value.trim()));
            setValue("");
          }}
        >
          <label class="field">
            <span>Only where</span>
            <select value={name} onChange={(event) => setDimension(event.currentTarget.value)}>
              {dimensions.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>is</span>
            <input
              value={value}
              list="known-values"
              placeholder="nothing: not told"
              autocomplete="off"
              onFocus={() => setIsLookedAt(true)}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
            <datalist id="known-values">
              {[...values]
                .filter(Boolean)
                .slice(0, VALUES_MAX)
                .map((one) => (
                  <option key={one} value={one} />
                ))}
            </datalist>
          </label>
          <button type="submit">Add</button>
        </form>
      ) : null}
    </>
  );
}

const VALUES_MAX = 200; // Nobody scrolls through more of them.

function Definitions({ metric, chosen, today, set }: WhichProps) {
  const { brand } = useStanding();
  const zone = knownZone(brand.zone);
  const day = chosen.asOf ? dayOf(new Date(Date.parse(chosen.asOf) - 1).toISOString(), zone) : "";
  return (
    <form class="row choose" aria-label="By which definition" onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span>By the definition of</span>
        <select
          value={chosen.version}
          onChange={(event) => set({ version: event.currentTarget.value, asOf: "" })}
        >
          <option value="">{chosen.asOf ? "that day" : "the newest"}</option>
          {versionsToChoose(metric.version, chosen.version).map((number) => (
            <option key={number} value={String(number)}>
              version {number}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>or as all was at the end of</span>
        <input
          type="date"
          value={day}
          max={today}
          onChange={(event) => {
            const text = event.currentTarget.value;
            if (!text || isDay(text))
              set({ asOf: text ? dayStart(movedDay(text, 1), zone) : "", version: "" });
          }}
        />
      </label>
    </form>
  );
}
