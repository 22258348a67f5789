// Every version of a metric, the newest first, and in what two of them differ.
import { useState } from "preact/hooks";
import { changed, place, useParameters } from "../address.ts";
import { get } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { byWords } from "../deeds.ts";
import { areGroupsAlone, type Difference, isGroupedOtherwise, type Metric } from "../metrics.ts";
import { Differences } from "./Differences.tsx";
import { Link } from "./Link.tsx";
import { Shown } from "./states.tsx";

const SHOWN = 20;

interface Page {
  items: Metric[];
  before?: number;
}

export function Versions({ metric }: { metric: Metric }) {
  const { brand } = useStanding();
  const path = `/v1/metrics/${encodeURIComponent(metric.name)}/versions`;
  const query = { brand: brand.brand, limit: SHOWN };
  const asked = useAsked<Page>(path, query);
  const [older, setOlder] = useState<Page | null>(null);
  return (
    <section class="card" aria-labelledby="versions-title">
      <h2 id="versions-title">Versions</h2>
      <Shown asked={asked} what="Reading its versions">
        {(page) => {
          const items = [...page.items, ...(older?.items ?? [])];
          const before = older ? older.before : page.before;
          return (
            <>
              <History items={items} />
              {before ? (
                <button
                  type="button"
                  onClick={() =>
                    void get<Page>(path, { ...query, before }).then((next) =>
                      setOlder({ ...next, items: [...(older?.items ?? []), ...next.items] }),
                    )
                  }
                >
                  Show older
                </button>
              ) : null}
              {items.length > 1 ? (
                <Compared metric={metric} numbers={items.map((one) => one.version)} />
              ) : null}
            </>
          );
        }}
      </Shown>
    </section>
  );
}

function History({ items }: { items: readonly Metric[] }) {
  const { brand, times } = useStanding();
  const parameters = useParameters();
  const at = (version: number) =>
    `${place.value.path}?${changed(parameters, { brand: brand.brand, version: String(version), asOf: "" })}`;
  return (
    <ul class="brief deeds">
      {items.map((one, row) => (
        <li key={one.version}>
          <span>
            <strong>Version {one.version}</strong> by {byWords(one.updatedBy)}{" "}
            {one.deprecatedAt ? <span class="tag">deprecated</span> : null}
            <span class="about">
              {[one.reason, sameWords(one, items[row + 1])].filter(Boolean).join(" · ")}
            </span>{" "}
            {row ? (
              <Link to={at(one.version)}>
                Show its numbers<span class="hidden"> by version {one.version}</span>
              </Link>
            ) : null}
          </span>
          <time class="about" dateTime={one.updatedAt}>
            {times.dateOf(one.updatedAt)}
          </time>
        </li>
      ))}
    </ul>
  );
}

// Whether its numbers are those of the version before it: a new title changes none.
function sameWords(one: Metric, before: Metric | undefined): string {
  if (!before) return "";
  if (one.hash === before.hash) return "the same numbers";
  return isGroupedOtherwise(one, before) ? "the same totals, grouped otherwise" : "other numbers";
}

interface Diff {
  from: number;
  to: number;
  differences: Difference[];
  sameNumbers: boolean;
}

function Compared({ metric, numbers }: { metric: Metric; numbers: readonly number[] }) {
  const { brand } = useStanding();
  const [chosen, setChosen] = useState<{ from?: number; to?: number }>({});
  const [to, from] = [chosen.to ?? numbers[0] ?? 1, chosen.from ?? numbers[1] ?? 1];
  const asked = useAsked<Diff>(`/v1/metrics/${encodeURIComponent(metric.name)}/diff`, {
    brand: brand.brand,
    from,
    to,
  });
  const choice = (words: string, value: number, set: (number: number) => void) => (
    <label class="field">
      <span>{words}</span>
      <select value={String(value)} onChange={(event) => set(Number(event.currentTarget.value))}>
        {numbers.map((number) => (
          <option key={number} value={String(number)}>
            version {number}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="apart" aria-labelledby="diff-title">
      <h3 id="diff-title">In what two versions differ</h3>
      <div class="row">
        {choice("From", from, (number) => setChosen({ ...chosen, from: number }))}
        {choice("to", to, (number) => setChosen({ ...chosen, to: number }))}
      </div>
      <Shown asked={asked} what="Comparing">
        {({ differences, sameNumbers }) => (
          <>
            <p class="about" role="status">
              {sameNumbers
                ? "Both give the same numbers."
                : areGroupsAlone(differences)
                  ? "Both give the same totals, grouped otherwise."
                  : "They give different numbers."}
            </p>
            {differences.length ? <Differences items={differences} /> : null}
          </>
        )}
      </Shown>
    </section>
  );
}
