// A brand's keys: listed, made, rotated, revoked. A secret is shown once.
import { useState } from "preact/hooks";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { Acting } from "./Acting.tsx";
import { Copied } from "./FirstSteps.tsx";
import { Form, Input } from "./Form.tsx";
import { Shown } from "./states.tsx";

interface Key {
  id: string;
  key: string;
  kind: string;
  scopes: string[];
  label: string;
  created: string;
  lastUsed: string | null;
  expires: string | null;
}

export function Keys() {
  const { brand, times } = useStanding();
  const asked = useAsked<{ keys: Key[] }>("/v1/keys", { brand: brand.brand });
  const [fresh, setFresh] = useState<Key | null>(null);
  const query = { brand: brand.brand };
  const rotate = async (key: Key) => {
    setFresh(await send<Key>("POST", `/v1/keys/${key.id}/rotate`, {}, query));
    asked.again();
  };
  const revoke = async (key: Key) => {
    await send("DELETE", `/v1/keys/${key.id}`, undefined, query);
    asked.again();
  };
  return (
    <section class="card" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      {fresh ? (
        <div role="status">
          <p>
            The new {fresh.kind} key. {fresh.kind === "public" ? "" : "It is shown this once."}
          </p>
          <Copied name="the key" text={fresh.key} />
        </div>
      ) : null}
      <Shown asked={asked} what="Reading the keys">
        {({ keys }) => (
          <section class="scroll" tabIndex={0} aria-label="All keys">
            <table>
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  <th scope="col">Label</th>
                  <th scope="col">May</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Ends</th>
                  <th scope="col">
                    <span class="hidden">Change</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {keys.map((key) => (
                  <tr key={key.id}>
                    <th scope="row">
                      <code>{key.key}</code>
                    </th>
                    <td>{key.label || "–"}</td>
                    <td>{key.kind === "secret" ? key.scopes.join(", ") : key.kind}</td>
                    <td>{key.lastUsed ? times.momentOf(key.lastUsed) : "never"}</td>
                    <td>{key.expires ? times.momentOf(key.expires) : "–"}</td>
                    <td class="acts">
                      <Acting words="Rotate" about={key.label || key.id} act={() => rotate(key)} />
                      <Acting words="Revoke" about={key.label || key.id} act={() => revoke(key)} isGrave />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </Shown>
      <Form
        label="Make a key"
        button="Make a key"
        send={async ({ kind, scope, label }) => {
          const scopes = kind === "secret" ? { scopes: [scope] } : {};
          setFresh(await send<Key>("POST", "/v1/keys", { kind, label, ...scopes }, query));
          asked.again();
          return "Made.";
        }}
      >
        <div class="row">
          <label class="field">
            <span>Kind</span>
            <select name="kind">
              <option value="public">public: for pages</option>
              <option value="secret">secret: for servers</option>
              <option value="signing">signing</option>
            </select>
          </label>
          <label class="field">
            <span>A secret one may</span>
            <select name="scope">
              <option value="write">write</option>
              <option value="read">read</option>
              <option value="edit">edit</option>
              <option value="admin">admin</option>
            </select>
          </label>
          <Input name="label" words="Label" isOptional />
        </div>
      </Form>
    </section>
  );
}
