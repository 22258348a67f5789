// A brand's keys: listed, made, rotated, revoked. A secret is shown once.
import { useState } from "preact/hooks";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { type Key, keyChanges } from "../keys.ts";
import { Acting } from "./Acting.tsx";
import { Copied } from "./FirstSteps.tsx";
import { Form, Input } from "./Form.tsx";
import { Shown } from "./states.tsx";

const KINDS: Record<string, string> = {
  public: "send hits from pages",
  signing: "sign what servers and pages send",
};

export function Keys() {
  const { brand, times } = useStanding();
  const asked = useAsked<{ keys: Key[] }>("/v1/keys", { brand: brand.brand });
  const [fresh, setFresh] = useState<{ key: Key; follows?: string } | null>(null);
  const [kind, setKind] = useState("public");
  const query = { brand: brand.brand };
  const tell = () => {
    asked.again();
    keyChanges.set(keyChanges.value + 1);
  };
  const rotate = async (key: Key) => {
    setFresh({
      key: await send<Key>("POST", `/v1/keys/${key.id}/rotate`, {}, query),
      follows: key.label || key.id,
    });
    tell();
  };
  const revoke = async (key: Key) => {
    await send("DELETE", `/v1/keys/${key.id}`, undefined, query);
    tell();
  };
  return (
    <section class="card" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <p class="about">
        Programs speak with keys. Rotating one makes its successor, and the old one works for another day.
      </p>
      {fresh ? (
        <div role="status">
          <p>
            The new {fresh.key.kind} key.{" "}
            {fresh.key.kind === "public" ? "" : "It is shown this once: copy it now. "}
            {fresh.follows ? `It takes the place of ${fresh.follows}, which works for another day.` : ""}
          </p>
          <Copied name="the key" text={fresh.key.key} />
        </div>
      ) : null}
      <Shown asked={asked} what="Reading the keys">
        {({ keys }) => (
          <section class="scroll" tabIndex={0} aria-label="All keys">
            <table class="stacked">
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
                    <td data-name="Label">
                      {key.label || "–"} {key.replacedBy ? <span class="tag">replaced</span> : null}
                    </td>
                    <td data-name="May">
                      {key.kind === "secret" ? key.scopes.join(", ") : (KINDS[key.kind] ?? key.kind)}
                    </td>
                    <td data-name="Last used">{key.lastUsed ? times.momentOf(key.lastUsed) : "never"}</td>
                    <td data-name="Ends">{key.expires ? times.momentOf(key.expires) : "–"}</td>
                    <td class="acts">
                      {key.replacedBy ? null : (
                        <Acting words="Rotate" about={key.label || key.id} act={() => rotate(key)} />
                      )}
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
          setFresh({ key: await send<Key>("POST", "/v1/keys", { kind, label, ...scopes }, query) });
          setKind("public");
          tell();
          return "Made: it is above.";
        }}
      >
        <div class="row">
          <label class="field">
            <span>Kind</span>
            <select name="kind" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              <option value="public">public: in pages, where everybody sees it</option>
              <option value="secret">secret: for servers</option>
              <option value="signing">signing: proves what is sent</option>
            </select>
          </label>
          {kind === "secret" ? (
            <label class="field">
              <span>It may</span>
              <select name="scope">
                <option value="write">write: send hits and assets</option>
                <option value="read">read: lists and figures</option>
                <option value="edit">edit: also pin, hide and decide</option>
                <option value="admin">admin: everything in this brand</option>
              </select>
            </label>
          ) : null}
          <Input name="label" words="Label" hint="where it is used" isOptional />
        </div>
      </Form>
    </section>
  );
}
