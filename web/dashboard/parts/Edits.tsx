// What editors have pinned and hidden, and taking it back.
import { useState } from "preact/hooks";
import { assetAddress } from "../address.ts";
import { send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { Acting } from "./Acting.tsx";
import { Form, Input } from "./Form.tsx";
import { Link } from "./Link.tsx";
import { Shown } from "./states.tsx";

interface Act {
  assetId: string;
  place?: number;
  reason?: string;
  until?: string;
  by: string;
  at: string;
}

export function Edits() {
  const { brand, times } = useStanding();
  const query = { brand: brand.brand };
  const [what, setWhat] = useState("pins");
  const asked = useAsked<{ pins: Act[]; hidden: Act[] }>("/v1/edits", query);
  const undo = (kind: string, act: Act) => async () => {
    await send("DELETE", `/v1/edits/${kind}/${encodeURIComponent(act.assetId)}`, undefined, query);
    asked.again();
  };
  const said = (act: Act) =>
    [
      act.place ? `place ${act.place}` : act.reason,
      act.until ? `until ${times.momentOf(act.until)}` : "",
      times.momentOf(act.at),
    ]
      .filter(Boolean)
      .join(" · ");
  return (
    <section class="card" aria-labelledby="edits-title">
      <h2 id="edits-title">Pinned and hidden</h2>
      <Shown asked={asked} what="Reading what editors did">
        {({ pins, hidden }) => (
          <ul class="brief">
            {[
              ...pins.map((act) => ["pins", act] as const),
              ...hidden.map((act) => ["hidden", act] as const),
            ].map(([kind, act]) => (
              <li key={kind + act.assetId}>
                <span>
                  {kind === "pins" ? "Pinned" : "Hidden"}:{" "}
                  <Link to={assetAddress(act.assetId, brand.brand)}>{act.assetId}</Link>{" "}
                  <span class="about">{said(act)}</span>
                </span>
                <Acting words="Take back" about={act.assetId} act={undo(kind, act)} />
              </li>
            ))}
            {pins.length + hidden.length ? null : <li>Nothing is pinned and nothing is hidden.</li>}
          </ul>
        )}
      </Shown>
      <Form
        label="Pin or hide an asset"
        button={what === "pins" ? "Pin" : "Hide"}
        aliases={{ assetId: "asset" }}
        send={async ({ asset, what, place, reason }) => {
          const body = what === "pins" ? { place: Number(place || 1) } : reason ? { reason } : {};
          await send("PUT", `/v1/edits/${what}/${encodeURIComponent(asset ?? "")}`, body, query);
          asked.again();
          setWhat("pins");
          return what === "pins" ? "Pinned." : "Hidden.";
        }}
      >
        <div class="row">
          <Input name="asset" words="Asset" hint="its id, as lists have it" />
          <label class="field">
            <span>What</span>
            <select name="what" value={what} onChange={(event) => setWhat(event.currentTarget.value)}>
              <option value="pins">pin it to a place</option>
              <option value="hidden">hide it from lists</option>
            </select>
          </label>
          {what === "pins" ? (
            <Input name="place" words="Place" type="number" value="1" isOptional />
          ) : (
            <Input name="reason" words="Reason" isOptional />
          )}
        </div>
      </Form>
    </section>
  );
}
