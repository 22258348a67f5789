// What a brand wants to be told of: listed, made, tried, switched off and removed, and what was told lately.
import { useState } from "preact/hooks";
import {
  type Alert,
  type AlertEvent,
  conditionOf,
  definitionFrom,
  definitionOf,
  deliveryWords,
  KINDS,
  type Tried,
  triedWords,
} from "../alerts.ts";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts } from "../facts.ts";
import { Acting } from "./Acting.tsx";
import { Copied } from "./FirstSteps.tsx";
import { Form, Input, Lines } from "./Form.tsx";
import { Shown } from "./states.tsx";

const SHOWN = 10;

export function Alerts() {
  const { brand } = useStanding();
  const query = { brand: brand.brand };
  const asked = useAsked<{ alerts: Alert[] }>("/v1/alerts", query);
  const history = useAsked<{ items: AlertEvent[] }>("/v1/alerts/history", { ...query, limit: SHOWN });
  const [secret, setSecret] = useState("");
  const [tried, setTried] = useState("");
  const change = async (method: string, path: string, body?: unknown) => {
    const made = await send<Alert>(method, `/v1/alerts${path}`, body, query);
    if (made.secret) setSecret(made.secret);
    asked.again();
    history.again();
  };
  const tryOut = async (alert: Alert) => {
    setTried(`Sending a test of ${alert.name} …`);
    const told = await send<{ deliveries: Tried[] }>("POST", `/v1/alerts/${alert.id}/test`, undefined, query);
    setTried(triedWords(told.deliveries));
  };
  if (asked.problem?.status === 404) return null;
  return (
    <section class="card" aria-labelledby="alerts-title">
      <h2 id="alerts-title">Alerts</h2>
      <Shown asked={asked} what="Reading the alerts">
        {({ alerts }) => (
          <ul class="brief">
            {alerts.map((alert) => (
              <li key={alert.id}>
                <span>
                  <strong>{alert.name}</strong> {alert.isOn ? null : <span class="tag">off</span>}
                  <br />
                  {conditionOf(alert)}
                  <br />
                  <span class="about">{[...alert.webhooks, ...alert.emails].join(", ")}</span>
                  {Object.entries(alert.turnedOff).map(([place, why]) => (
                    <span key={place} class="about">
                      <br />
                      Nothing is sent to {place} any more: {why}.
                    </span>
                  ))}
                </span>
                <span class="acts">
                  <Acting words="Test" about={alert.name} act={() => tryOut(alert)} />
                  <Acting
                    words={alert.isOn ? "Switch off" : "Switch on"}
                    about={alert.name}
                    act={() => change("PUT", `/${alert.id}`, { ...definitionOf(alert), isOn: !alert.isOn })}
                  />
                  <Acting
                    words="New secret"
                    about={alert.name}
                    act={() => change("POST", `/${alert.id}/rotate`)}
                  />
                  <Acting
                    words="Remove"
                    about={alert.name}
                    isGrave
                    act={() => change("DELETE", `/${alert.id}`)}
                  />
                </span>
              </li>
            ))}
            {alerts.length ? null : <li>Nobody is told of anything yet.</li>}
          </ul>
        )}
      </Shown>
      <p role="status">{tried}</p>
      {secret ? (
        <div role="status">
          <p>Its messages are signed with this secret, which is shown this once.</p>
          <Copied name="the secret" text={secret} />
        </div>
      ) : null}
      <NewAlert make={(definition) => change("POST", "", definition)} />
      <Told events={history.value?.items ?? []} />
    </section>
  );
}

function NewAlert({ make }: { make: (definition: Record<string, unknown>) => Promise<void> }) {
  const [kind, setKind] = useState("asset-passes");
  const [window, setWindow] = useState("hour");
  const hasMinutes = kind === "asset-passes" ? window === "minutes" : kind !== "page-changes";
  return (
    <Form
      label="Make an alert"
      button="Make an alert"
      aliases={{ webhooks: "places", emails: "places" }}
      send={async (values) => {
        await make(definitionFrom({ ...values, kind, window }));
        return "Made.";
      }}
    >
      <div class="row">
        <Input name="name" words="Name of the alert" />
        <label class="field">
          <span>Tell when</span>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {Object.entries(KINDS)
              .filter(([name]) => facts.archive || name !== "page-changes")
              .map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
          </select>
        </label>
      </div>
      <div class="row">
        {kind === "asset-passes" ? (
          <>
            <Input name="hits" words="Hits" type="number" value="1000" />
            <label class="field">
              <span>Within</span>
              <select value={window} onChange={(event) => setWindow(event.currentTarget.value)}>
                <option value="hour">an hour</option>
                <option value="day">a day</option>
                <option value="minutes">the last minutes</option>
              </select>
            </label>
            <Input name="section" words="Section" isOptional />
          </>
        ) : null}
        {hasMinutes ? <Input name="minutes" words="Minutes" type="number" value="15" /> : null}
        {kind === "brand-silent" ? (
          <Input name="hours" words="Only in the hours, as 07:00-23:00" isOptional />
        ) : null}
        {kind === "drops-spike" ? (
          <>
            <Input name="share" words="Percent of the hits" type="number" value="10" />
            <Input name="atLeast" words="Hits at least" type="number" value="100" />
          </>
        ) : null}
      </div>
      <Lines
        name="places"
        words="Where to"
        rows={2}
        example="https://hooks.example.com/footfall"
        hint="addresses of webhooks, by https, and of mail"
      />
    </Form>
  );
}

function Told({ events }: { events: readonly AlertEvent[] }) {
  const { times } = useStanding();
  if (!events.length) return null;
  return (
    <>
      <h3 class="apart">Told lately</h3>
      <ul class="brief">
        {events.map((event) => (
          <li key={event.id}>
            <span>
              {event.text}
              <br />
              <span class="about">
                {[times.momentOf(event.at), event.alert.name, ...event.deliveries.map(deliveryWords)].join(
                  " · ",
                )}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
