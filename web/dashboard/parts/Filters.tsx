// The filters of a list. Each change is a new address; a text counts when its field is left or Enter is pressed.
import { useEffect, useState } from "preact/hooks";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { dayEnd, dayOf, dayStart, FILTERS, filtersSaid, INCLUDED, type Wanted } from "../filters.ts";
import type { Shares } from "../shapes.ts";
import { knownZone, LABELS, periodName } from "../words.ts";

type Setter = (changes: Record<string, string>) => void;

export function Filters({ wanted, set }: { wanted: Wanted; set: Setter }) {
  const { brand, periods } = useStanding();
  const period = wanted.period || "week";
  const sections = useAsked<Shares>("/v1/top/sections", { brand: brand.brand, period, limit: 50 });
  const types = useAsked<Shares>("/v1/top/types", { brand: brand.brand, period, limit: 50 });
  const known: Record<string, string[]> = {
    section: (sections.value?.items ?? []).map((one) => String(one.sectionId ?? "")).filter(Boolean),
    resourceType: (types.value?.items ?? []).map((one) => one.resourceType ?? "").filter(Boolean),
    paidType: ["free", "metered", "paid"],
  };
  const said = filtersSaid(wanted);
  // On a phone the list comes first; whoever opens or closes the filters is not overruled.
  const [isOpen] = useState(() => !matchMedia("(max-width: 40rem)").matches);
  const hasFilters = FILTERS.some(([name]) => wanted.values[name]) || wanted.include.length > 0;
  return (
    <form class="card filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Periods wanted={wanted} set={set} periods={periods} />
      <Days wanted={wanted} set={set} />
      <details class="more" open={isOpen}>
        <summary>Filters{said.length ? `: ${said.join(", ")}` : ""}</summary>
        <div class="fields">
          {FILTERS.map(([name, words]) => (
            <Field
              key={name}
              name={name}
              words={words}
              value={wanted.values[name] ?? ""}
              options={known[name]}
              set={set}
            />
          ))}
          <label class="field">
            <span>Order</span>
            <select
              value={wanted.sort}
              onChange={(event) => set({ sort: event.currentTarget.value === "hits" ? "" : "uniques" })}
            >
              <option value="hits">by hits</option>
              <option value="uniques">by visitors</option>
            </select>
          </label>
          <label class="field">
            <span>Rows</span>
            <select value={wanted.limit} onChange={(event) => set({ limit: event.currentTarget.value })}>
              <option>25</option>
              <option>50</option>
              <option>100</option>
            </select>
          </label>
        </div>
        <fieldset class="choices">
          <legend>Also show hits of</legend>
          {INCLUDED.map((label) => (
            <label key={label} class="choice">
              <input
                type="checkbox"
                checked={wanted.include.includes(label)}
                onChange={(event) => {
                  const others = wanted.include.filter((one) => one !== label);
                  set({ include: (event.currentTarget.checked ? [...others, label] : others).join(",") });
                }}
              />
              {LABELS[label] ?? label}
            </label>
          ))}
          {hasFilters ? (
            <button
              type="button"
              class="quiet"
              onClick={() => set({ include: "", ...Object.fromEntries(FILTERS.map(([name]) => [name, ""])) })}
            >
              Clear filters
            </button>
          ) : null}
        </fieldset>
      </details>
    </form>
  );
}

export function Periods({
  wanted,
  set,
  periods,
}: {
  wanted: { period: string };
  set: Setter;
  periods: readonly string[];
}) {
  return (
    <fieldset class="periods">
      <legend class="hidden">Period</legend>
      {periods.map((period) => (
        <button
          type="button"
          key={period}
          aria-pressed={wanted.period === period}
          onClick={() => set({ period, from: "", to: "" })}
        >
          {periodName(period)}
        </button>
      ))}
    </fieldset>
  );
}

// A span of whole days of the brand's zone.
function Days({ wanted, set }: { wanted: Wanted; set: Setter }) {
  const { brand } = useStanding();
  const zone = knownZone(brand.zone);
  const first = wanted.from ? dayOf(wanted.from, zone) : "";
  const last = wanted.to ? dayOf(new Date(Date.parse(wanted.to) - 1).toISOString(), zone) : "";
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  useEffect(() => {
    setFrom(first);
    setTo(last);
  }, [first, last]);
  const show = (start: string, end: string) => {
    const today = dayOf(new Date().toISOString(), zone);
    const last = end > today ? today : end; // There is no list of tomorrow.
    if (!start || !end || start > last) return;
    set({ period: "", from: dayStart(start, zone), to: dayEnd(last, zone) });
  };
  return (
    <fieldset class="days">
      <legend class="hidden">Or whole days</legend>
      <label class="field">
        <span>From</span>
        <input
          type="date"
          value={from}
          onInput={(event) => {
            setFrom(event.currentTarget.value);
            show(event.currentTarget.value, to);
          }}
        />
      </label>
      <label class="field">
        <span>to the end of</span>
        <input
          type="date"
          value={to}
          onInput={(event) => {
            setTo(event.currentTarget.value);
            show(from, event.currentTarget.value);
          }}
        />
      </label>
    </fieldset>
  );
}

interface FieldProps {
  name: string;
  words: string;
  value: string;
  options: string[] | undefined;
  set: Setter;
}

function Field({ name, words, value, options, set }: FieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const list = options?.length ? `known-${name}` : undefined;
  return (
    <label class="field">
      <span>{words}</span>
      <input
        name={name}
        value={text}
        list={list}
        placeholder="any"
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => set({ [name]: event.currentTarget.value.trim() })}
      />
      {list ? (
        <datalist id={list}>
          {options?.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      ) : null}
    </label>
  );
}
