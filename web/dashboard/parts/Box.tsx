// The most-read box: the line that puts it on a page, for the period and the length that are chosen.
import { useState } from "preact/hooks";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import type { List } from "../shapes.ts";
import { ASKED_PER_SHOWN, BOX_LENGTHS, boxOf, boxSaid } from "../snippets.ts";
import { periodName } from "../words.ts";
import { Copied } from "./FirstSteps.tsx";

export function Box() {
  const { brand, periods } = useStanding();
  const [period, setPeriod] = useState(periods.includes("day") ? "day" : (periods[0] ?? "day"));
  const [limit, setLimit] = useState(5);
  return (
    <section class="card" aria-labelledby="box-title">
      <h2 id="box-title">Most-read box</h2>
      <p>
        This line shows the list on any page, where it stands. It needs no key where the lists are public, and
        shows nothing where they are not.
      </p>
      <div class="form">
        <label class="field">
          <span>Period</span>
          <select value={period} onChange={(event) => setPeriod(event.currentTarget.value)}>
            {periods.map((one) => (
              <option key={one} value={one}>
                {periodName(one)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>How many</span>
          <select value={limit} onChange={(event) => setLimit(Number(event.currentTarget.value))}>
            {BOX_LENGTHS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Untitled period={period} limit={limit} />
      <Copied name="the box" text={boxOf(location.origin, brand.brand, period, limit)} />
    </section>
  );
}

// A box shows titles, so that a site which only counts has an empty one. It is said here, before somebody wonders.
function Untitled({ period, limit }: { period: string; limit: number }) {
  const { brand } = useStanding();
  const asked = useAsked<List>("/v1/popular", { brand: brand.brand, period, limit: limit * ASKED_PER_SHOWN });
  const words = boxSaid(asked.value?.items, limit);
  if (!words) return null;
  return (
    <p class="about" role="status">
      {words}
      {asked.value?.items.length ? (
        <>
          {" "}
          Describe your assets (<code>PUT /v1/assets</code>), or have titles fetched from your pages: the
          setting <code>catalog_fetch_titles</code>, for pages of this brand’s origins.
        </>
      ) : null}
    </p>
  );
}
