// Metrics: a brand's catalogue of numbers, found by words and kinds.
import { useEffect, useState } from "preact/hooks";
import { addressOf, changed, go, metricAddress, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { EXAMPLE } from "../drafts.ts";
import { mayDo } from "../facts.ts";
import {
  definitionWords,
  isFiltered,
  KINDS,
  kindWords,
  type Listed,
  type Metric,
  type Page,
  questionFor,
  type Sought,
  soughtIn,
  unitWords,
} from "../metrics.ts";
import { Copied } from "../parts/FirstSteps.tsx";
import { Folded } from "../parts/Folded.tsx";
import { Link } from "../parts/Link.tsx";
import { MetricForm } from "../parts/MetricForm.tsx";
import { Empty, Shown } from "../parts/states.tsx";

import { MigrationLink } from "./Migration.tsx";

const PATH = "/catalogue";

export function MetricsPage() {
  const { brand } = useStanding();
  const parameters = useParameters();
  const sought = soughtIn(parameters);
  const asked = useAsked<Page>("/v1/metrics", questionFor(brand.brand, sought));
  const isEditor = mayDo(brand.role, "editor");
  const [example, setExample] = useState(0);
  const set = (changes: Record<string, string>) =>
    go(`${PATH}?${changed(parameters, { brand: brand.brand, after: "", ...changes })}`, { replaces: true });
  return (
    <>
      <div class="head">
        <h1>Metrics</h1>
      </div>
      <p class="about">
        A metric is a number that is defined once: everybody who asks for it gets the same answer, and knows
        which version of the definition gave it.
      </p>
      {asked.value ? <MigrationLink /> : null}
      {isEditor ? (
        <section class="card" aria-labelledby="define-title">
          <h2 id="define-title">Define a metric</h2>
          <Folded key={example} words="Write a definition" isOpen={example > 0}>
            <MetricForm
              draft={example ? EXAMPLE : {}}
              done={(metric) => go(metricAddress(metric.name, brand.brand))}
            />
          </Folded>
        </section>
      ) : null}
      <Choices sought={sought} set={set} />
      <Shown asked={asked} what="Reading the catalogue">
        {(page) =>
          page.items.length ? (
            <Found page={page} sought={sought} parameters={parameters} />
          ) : isFiltered(sought) || sought.after ? (
            <Empty title="No metric is like that">
              <p>
                <Link to={addressOf(PATH, brand.brand)}>Show all metrics</Link>
              </p>
            </Empty>
          ) : (
            <First isEditor={isEditor} fill={() => setExample(example + 1)} />
          )
        }
      </Shown>
    </>
  );
}

function Choices({ sought, set }: { sought: Sought; set: (changes: Record<string, string>) => void }) {
  const [words, setWords] = useState(sought.q);
  useEffect(() => setWords(sought.q), [sought.q]);
  return (
    <search aria-label="Find metrics">
      <form
        class="card row"
        aria-label="Find metrics"
        onSubmit={(event) => {
          event.preventDefault();
          set({ q: words.trim() });
        }}
      >
        <label class="field">
          <span>Words</span>
          <input
            type="search"
            value={words}
            placeholder="in the name, title, owner or description"
            autocomplete="off"
            onInput={(event) => setWords(event.currentTarget.value)}
            onChange={(event) => set({ q: event.currentTarget.value.trim() })}
          />
        </label>
        <label class="field">
          <span>Kind</span>
          <select
            value={sought.valueType}
            onChange={(event) => set({ valueType: event.currentTarget.value })}
          >
            <option value="">any</option>
            {KINDS.map(([kind, says]) => (
              <option key={kind} value={kind}>
                {says}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Deprecated</span>
          <select
            value={sought.deprecated}
            onChange={(event) => set({ deprecated: event.currentTarget.value })}
          >
            <option value="">with those</option>
            <option value="false">without those</option>
            <option value="true">only those</option>
          </select>
        </label>
      </form>
    </search>
  );
}

function Found({ page, sought, parameters }: { page: Page; sought: Sought; parameters: URLSearchParams }) {
  const { brand } = useStanding();
  const at = (after: string) => `${PATH}?${changed(parameters, { brand: brand.brand, after })}`;
  return (
    <section class="card" aria-label="The metrics">
      <table class="stacked metrics">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">Unit</th>
            <th scope="col">Kind</th>
            <th scope="col">Grouped by</th>
            <th scope="col">Owner</th>
          </tr>
        </thead>
        <tbody>
          {page.items.map((item) => (
            <MetricRow key={item.name} item={item} />
          ))}
        </tbody>
      </table>
      {page.after || sought.after ? (
        <nav class="acts" aria-label="More metrics">
          {sought.after ? (
            <Link to={at("")} class="button quiet">
              From the start
            </Link>
          ) : null}
          {page.after ? (
            <Link to={at(page.after)} class="button">
              Next
            </Link>
          ) : null}
        </nav>
      ) : null}
    </section>
  );
}

function MetricRow({ item }: { item: Listed }) {
  const { brand } = useStanding();
  return (
    <tr>
      <th scope="row" class="what">
        <Link to={metricAddress(item.name, brand.brand)} class="asset">
          <bdi>{item.title || item.name}</bdi>
        </Link>
        {item.isDeprecated ? <span class="tag">deprecated</span> : null}
        <bdi class="labels">{item.title ? item.name : ""}</bdi>
      </th>
      <td data-name="Unit">{unitWords(item.unit)}</td>
      <td data-name="Kind">{kindWords(item.valueType)}</td>
      <td data-name="Grouped by">{item.dimensions.join(", ") || "–"}</td>
      <td data-name="Owner" class="what">
        <bdi>{item.owner || "–"}</bdi>
      </td>
    </tr>
  );
}

const COMMAND = "footfall metrics add minutes --value-type SCALAR --unit minutes --dimension section";

// An empty catalogue: what a metric looks like, and how to have one.
function First({ isEditor, fill }: { isEditor: boolean; fill: () => void }) {
  const { brand } = useStanding();
  return (
    <section class="card first" aria-labelledby="first-title">
      <h2 id="first-title">No metrics yet: here is one as an example</h2>
      <p>
        <strong>{EXAMPLE.title}</strong>: {EXAMPLE.description}{" "}
        {definitionWords({ ...EXAMPLE, consumedMetrics: [] } as unknown as Metric).join(" ")}
      </p>
      {isEditor ? (
        <p class="acts">
          <button type="button" onClick={fill}>
            Fill in the example
          </button>
        </p>
      ) : (
        <p class="about">Editors who signed in define metrics here.</p>
      )}
      <p>Or define one on the server, from a terminal:</p>
      <Copied name="the command" text={`${COMMAND} --data data --brand ${quoted(brand.brand)}`} />
    </section>
  );
}

// A word of a command, whatever a brand is called.
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
