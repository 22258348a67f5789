// The periods that lists have: those of the instance, and a brand's own, which its administrators change.
import { learnSession, send } from "../api.ts";
import type { Asked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts } from "../facts.ts";
import type { BrandDocument, OwnPeriod } from "../shapes.ts";
import { periodName } from "../words.ts";
import { Acting } from "./Acting.tsx";
import { Choice, Form, Input } from "./Form.tsx";
import { Shown } from "./states.tsx";

export function OwnPeriods({ asked }: { asked: Asked<BrandDocument> }) {
  const { brand } = useStanding();
  const change = async (periods: Record<string, OwnPeriod>) => {
    await send("PATCH", "/v1/brand", { periods }, { brand: brand.brand });
    asked.again();
    await learnSession();
  };
  return (
    <section class="card" aria-labelledby="periods-title">
      <h2 id="periods-title">Periods</h2>
      <p class="about">
        Every brand has {facts.periods.map(periodName).join(", ")}; the operator changes those under{" "}
        <code>[periods]</code> in the settings file. These are this brand’s own:
      </p>
      <Shown asked={asked} what="Reading the periods">
        {({ periods }) => (
          <>
            <ul class="brief">
              {Object.entries(periods).map(([name, one]) => (
                <li key={name}>
                  <span>
                    <strong>{periodName(name)}</strong>{" "}
                    <span class="about">
                      the last {one.span}, moving on every {one.grain}, kept by caches for {one.cache}
                    </span>
                  </span>
                  <Acting
                    words="Remove"
                    about={`the period ${name}`}
                    isGrave
                    act={() =>
                      change(Object.fromEntries(Object.entries(periods).filter(([is]) => is !== name)))
                    }
                  />
                </li>
              ))}
              {Object.keys(periods).length ? null : <li>None yet.</li>}
            </ul>
            <Form
              label="Add a period"
              button="Add a period"
              aliases={{ periods: "name" }}
              send={async ({ name, span, grain, cache }) => {
                const one = { span: span ?? "", grain: grain ?? "", cache: cache ?? "" };
                await change({ ...periods, [name ?? ""]: one });
                return "Added. Lists have it at once.";
              }}
            >
              <div class="row">
                <Input name="name" words="Name" hint="such as weekend" />
                <Input name="span" words="The last" value="2d" hint="such as 30m, 12h or 3d" />
                <Choice
                  name="grain"
                  words="Moving on every"
                  value="1h"
                  options={[
                    ["1m", "minute"],
                    ["5m", "5 minutes"],
                    ["1h", "hour"],
                    ["1d", "day"],
                  ]}
                />
                <Input name="cache" words="Kept by caches for" value="2m" hint="such as 30s or 2m" />
              </div>
            </Form>
          </>
        )}
      </Shown>
    </section>
  );
}
