// Settings: a brand's rules, its keys, its members, its alerts, what editors pinned and hid, and one's own account.
import { addressOf } from "../address.ts";
import { send, session } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { Alerts } from "../parts/Alerts.tsx";
import { Box } from "../parts/Box.tsx";
import { Edits } from "../parts/Edits.tsx";
import { Copied, usePublicKey } from "../parts/FirstSteps.tsx";
import { Form, Input } from "../parts/Form.tsx";
import { Keys } from "../parts/Keys.tsx";
import { Link } from "../parts/Link.tsx";
import { Members } from "../parts/Members.tsx";
import { Shown } from "../parts/states.tsx";
import { snippetOf } from "../snippets.ts";

export interface Rules {
  brand: string;
  title: string;
  zone: string;
  origins: string[];
  isPublic: boolean;
  unlabelled: string;
  screening: string;
  periods: Record<string, { span: string; grain: string; cache: string }>;
}

export function SettingsPage() {
  const { brand, periods } = useStanding();
  const who = useCell(session);
  const isAdmin = mayDo(brand.role, "admin");
  return (
    <>
      <div class="head">
        <h1>Settings</h1>
        <p class="about">
          {brand.title || brand.brand} · {brand.zone}
          {brand.role ? ` · you are ${brand.role}` : ""}
        </p>
      </div>
      {isAdmin ? null : (
        <section class="card">
          <h2>This brand</h2>
          <p>
            Its days begin in <strong>{brand.zone}</strong>, its lists have the periods{" "}
            <strong>{periods.join(", ")}</strong>.
          </p>
          <Snippet />
          {brand.role ? (
            <p class="about">Rules, keys and members are for this brand’s administrators.</p>
          ) : (
            <p class="about">
              Rules, keys, members and pins need somebody who is signed in.{" "}
              {facts.people && who && !who.person ? (
                <Link to={addressOf("/sign-in", "", { next: addressOf("/settings", brand.brand) })}>
                  Sign in
                </Link>
              ) : null}
            </p>
          )}
        </section>
      )}
      {isAdmin ? <BrandRules /> : null}
      <Box />
      {isAdmin ? <Keys /> : null}
      {isAdmin ? <Members /> : null}
      {isAdmin ? <Alerts /> : null}
      {mayDo(brand.role, "editor") ? <Edits /> : null}
      {who?.person ? <Account /> : null}
    </>
  );
}

function Snippet() {
  const { brand } = useStanding();
  const key = usePublicKey();
  if (key === undefined) return null;
  return (
    <>
      <p>The line for its pages:</p>
      <Copied name="the snippet" text={snippetOf(location.origin, brand.brand, key)} />
    </>
  );
}

function BrandRules() {
  const { brand } = useStanding();
  const asked = useAsked<Rules>("/v1/brand", { brand: brand.brand });
  return (
    <section class="card" aria-labelledby="rules-title">
      <h2 id="rules-title">The brand</h2>
      <Snippet />
      <Shown asked={asked} what="Reading the rules">
        {(rules) => (
          <Form
            label="The brand's rules"
            button="Save"
            send={async ({ title, origins, screening, isPublic }) => {
              const changes = {
                title,
                origins: (origins ?? "").split(/[\s,]+/).filter(Boolean),
                screening,
                isPublic: isPublic === "true",
              };
              await send("PATCH", "/v1/brand", changes, { brand: brand.brand });
              asked.again();
              return "Saved.";
            }}
          >
            <Input name="title" words="Title" value={rules.title} isOptional />
            <label class="field">
              <span>Origins of its pages</span>
              <textarea name="origins" rows={3} defaultValue={rules.origins.join("\n")} />
            </label>
            <label class="field">
              <span>Screening</span>
              <select name="screening" defaultValue={rules.screening}>
                <option value="observe">observe: suspected hits are shown</option>
                <option value="hold">hold: they wait for a decision</option>
                <option value="filter">filter: they are kept out</option>
              </select>
            </label>
            <label class="field">
              <span>Lists</span>
              <select name="isPublic" defaultValue={String(rules.isPublic)}>
                <option value="true">public: anybody may read them</option>
                <option value="false">private: a key or a member reads them</option>
              </select>
            </label>
            <p class="about">
              Zone {rules.zone}, for good. Periods of its own:{" "}
              {Object.entries(rules.periods).length
                ? Object.entries(rules.periods)
                    .map(([name, one]) => `${name} (${one.span} by ${one.grain})`)
                    .join(", ")
                : "none"}
              .
            </p>
          </Form>
        )}
      </Shown>
    </section>
  );
}

interface SignedIn {
  id: string;
  browser: string;
  created: string;
  lastUsed: string;
  isThis: boolean;
}

function Account() {
  const { times } = useStanding();
  const asked = useAsked<{ sessions: SignedIn[] }>("/v1/sessions");
  return (
    <section class="card" aria-labelledby="account-title">
      <h2 id="account-title">Your account</h2>
      <Form
        label="Change your password"
        button="Change the password"
        send={async ({ old, fresh }) => {
          await send("POST", "/v1/password", { old, new: fresh });
          return "Changed.";
        }}
      >
        <Input name="old" words="Password now" type="password" complete="current-password" />
        <Input
          name="fresh"
          words="New password"
          type="password"
          complete="new-password"
          hint="10 characters or more"
        />
      </Form>
      <Shown asked={asked} what="Reading where you are signed in">
        {({ sessions }) => (
          <table>
            <caption class="hidden">Where you are signed in</caption>
            <thead>
              <tr>
                <th scope="col">Signed in with</th>
                <th scope="col">Since</th>
                <th scope="col">Last used</th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((one) => (
                <tr key={one.id}>
                  <th scope="row">
                    {one.browser} {one.isThis ? <span class="tag">this one</span> : null}
                  </th>
                  <td>{times.momentOf(one.created)}</td>
                  <td>{times.momentOf(one.lastUsed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Shown>
      <p class="acts">
        <button
          type="button"
          onClick={() => void send("DELETE", "/v1/sessions").finally(() => location.assign("/sign-in"))}
        >
          Sign out everywhere
        </button>
      </p>
    </section>
  );
}
