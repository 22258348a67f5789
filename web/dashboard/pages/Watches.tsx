// The watch list: pages that are kept by themselves, on a schedule or because they are read.
import { useState } from "preact/hooks";
import { addressOf } from "../address.ts";
import type { Alert } from "../alerts.ts";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { pageAddress, shortUrl } from "../captures.ts";
import { useStanding } from "../context.ts";
import { mayDo } from "../facts.ts";
import { Acting } from "../parts/Acting.tsx";
import { Choice, Choices, Form, Input } from "../parts/Form.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { ARCHIVE } from "../routes.ts";
import { ruleWords, TELLS, toldWords, type Watch, watchFrom } from "../watches.ts";
import { periodName } from "../words.ts";

const PATH = "/v1/archive/watches";
const EVERY_MS = 10_000;

export function WatchesPage() {
  const { brand } = useStanding();
  const query = { brand: brand.brand };
  const asked = useAsked<{ watches: Watch[] }>(PATH, query, EVERY_MS);
  const isEditor = mayDo(brand.role, "editor");
  const alerts = useAsked<{ alerts: Alert[] }>("/v1/alerts", query).value?.alerts ?? [];
  const names = new Map(alerts.map(({ id, name }) => [id, name]));
  const change = async (method: string, id = "", body?: unknown) => {
    await send(method, id ? `${PATH}/${encodeURIComponent(id)}` : PATH, body, query);
    asked.again();
  };
  return (
    <>
      <div class="head">
        <h1>Watch list</h1>
        <Link to={addressOf(ARCHIVE, brand.brand)}>Archive</Link>
      </div>
      <p class="about">
        Pages that are kept by themselves: one page again and again, or whatever is read most. What is kept is
        shared with the brand.
      </p>
      <Shown asked={asked} what="Reading the watch list">
        {({ watches }) =>
          watches.length ? (
            <section class="card" aria-label="The watch list">
              <ul class="brief wishes">
                {watches.map((watch) => (
                  <Row key={watch.id} watch={watch} names={names} change={isEditor ? change : undefined} />
                ))}
              </ul>
            </section>
          ) : (
            <Empty title="Nothing is watched yet">
              <p>
                {isEditor
                  ? "The front page every 15 minutes is a good beginning."
                  : "Editors who signed in add pages here."}
              </p>
            </Empty>
          )
        }
      </Shown>
      {isEditor ? <NewWatch alerts={alerts} make={(watch) => change("POST", "", watch)} /> : null}
    </>
  );
}

interface RowProps {
  watch: Watch;
  names: ReadonlyMap<string, string>; // of alerts
  change?: (method: string, id: string, body?: unknown) => Promise<void>;
}

function Row({ watch, names, change }: RowProps) {
  const { brand, times } = useStanding();
  const { rule, alert } = watch;
  const last = watch.lastAt ? `last ${times.dateOf(watch.lastAt)}` : "not taken yet";
  const next = watch.isOn && watch.nextAt ? `next ${times.dateOf(watch.nextAt)}` : "";
  return (
    <li>
      <span class="what">
        <strong>{shortUrl(watch.name)}</strong> {watch.isOn ? null : <span class="tag">off</span>}
        <br />
        {rule.kind === "page" ? (
          <Link to={pageAddress(rule.url, brand.brand)}>
            <bdi>{ruleWords(rule)}</bdi>
          </Link>
        ) : (
          ruleWords(rule)
        )}
        <br />
        <span class="about">{[last, next].filter(Boolean).join(" · ")}</span>
        {watch.says ? (
          <>
            <br />
            <span class="about">{watch.says}</span>
          </>
        ) : null}
        {alert?.places.length ? (
          <>
            <br />
            <span class="about">{toldWords(alert.places, names)}</span>
          </>
        ) : null}
      </span>
      {change ? (
        <span class="acts">
          <Acting
            words={watch.isOn ? "Switch off" : "Switch on"}
            about={watch.name}
            act={() => change("PATCH", watch.id, { isOn: !watch.isOn })}
          />
          <Acting words="Remove" about={watch.name} isGrave act={() => change("DELETE", watch.id)} />
        </span>
      ) : null}
    </li>
  );
}

interface NewProps {
  alerts: readonly Alert[];
  make: (watch: Record<string, unknown>) => Promise<void>;
}

function NewWatch({ alerts, make }: NewProps) {
  const { brand, periods } = useStanding();
  const [kind, setKind] = useState("page");
  return (
    <section class="card" aria-labelledby="watch-title">
      <h2 id="watch-title">Watch something</h2>
      <Form
        label="Watch something"
        button="Watch"
        send={async (values) => {
          await make(watchFrom({ ...values, kind }));
          return "It is on the list.";
        }}
      >
        <div class="row">
          <label class="field">
            <span>What</span>
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              <option value="page">a page</option>
              <option value="popular">what is read most</option>
            </select>
          </label>
          {kind === "page" ? <Input name="url" words="Address" /> : null}
          {kind === "popular" ? (
            <>
              <Input name="top" words="How many" type="number" value="10" />
              <Choice
                name="period"
                words="Period"
                value={periods.includes("hour") ? "hour" : periods[0]}
                options={periods.map((one) => [one, periodName(one)] as const)}
              />
              <Input name="section" words="Section" isOptional />
            </>
          ) : null}
          <Input
            name="everyMinutes"
            words="Every so many minutes"
            type="number"
            value={kind === "page" ? "15" : "60"}
            key={kind}
          />
        </div>
        {kind === "page" ? (
          <Choices words="Keep it" options={[["onlyChanged", "only when its text changed"]]} />
        ) : null}
        <div class="row">
          <Input name="name" words="Name" isOptional />
        </div>
        {alerts.length ? (
          <Choices
            words="Tell of a change by"
            options={alerts.map(({ id, name }) => [TELLS + id, name] as const)}
          />
        ) : (
          <p class="about">
            To be told of changes, <Link to={addressOf("/settings", brand.brand)}>make an alert</Link> first.
          </p>
        )}
      </Form>
    </section>
  );
}
