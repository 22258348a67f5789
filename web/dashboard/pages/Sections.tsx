// Sections and types: what each comes to, and how that changed.
import { addressOf, changed, go, place, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { escaped, wantedFrom } from "../filters.ts";
import { Change } from "../parts/Assets.tsx";
import { Periods } from "../parts/Filters.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Share, Shares } from "../shapes.ts";
import { aligned, bounded, change } from "../words.ts";

export function SectionsPage() {
  const { brand, periods } = useStanding();
  const parameters = useParameters();
  const wanted = wantedFrom(parameters, periods);
  const query = { brand: brand.brand, period: wanted.period || "day", limit: 100 };
  const sections = useAsked<Shares>("/v1/top/sections", query, 10_000);
  const types = useAsked<Shares>("/v1/top/types", query, 10_000);
  const to = (name: string, value: string) =>
    addressOf("/most-read", brand.brand, { period: query.period, [name]: escaped(value) });
  return (
    <>
      <div class="head">
        <h1>Sections and types</h1>
        <Periods
          wanted={wanted}
          periods={periods}
          set={(changes) =>
            go(`${place.value.path}?${changed(parameters, { brand: brand.brand, ...changes })}`, {
              replaces: true,
            })
          }
        />
      </div>
      <div class="columns even">
        <section class="card" aria-labelledby="sections">
          <h2 id="sections">Sections</h2>
          <Shown asked={sections}>
            {(shares) => (
              <ShareTable
                shares={shares}
                name="Section"
                value={(one) => String(one.sectionId ?? "")}
                to={(v) => to("section", v)}
              />
            )}
          </Shown>
        </section>
        <section class="card" aria-labelledby="types">
          <h2 id="types">Types</h2>
          <Shown asked={types}>
            {(shares) => (
              <ShareTable
                shares={shares}
                name="Type"
                value={(one) => one.resourceType ?? ""}
                to={(v) => to("resourceType", v)}
              />
            )}
          </Shown>
        </section>
      </div>
    </>
  );
}

interface ShareTableProps {
  shares: Shares;
  name: string;
  value: (one: Share) => string;
  to: (value: string) => string;
}

function ShareTable({ shares, name, value, to }: ShareTableProps) {
  const { times } = useStanding();
  if (!shares.items.length) return <Empty title="Nothing was read in this span" />;
  return (
    <>
      <p class="about">
        {times.spanOf(shares.from, shares.to)} · {bounded(shares.hits, undefined)} hits,{" "}
        {change(shares.hits, shares.hitsBefore)} on the window before
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              #
            </th>
            <th scope="col" class="moves">
              <span class="hidden">Change of rank</span>
            </th>
            <th scope="col">{name}</th>
            <th scope="col" class="number">
              Hits
            </th>
            <th scope="col" class="number">
              Share
            </th>
            <th scope="col" class="number">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {shares.items.map((one) => (
            <tr key={value(one)}>
              <td class="number rank">{one.rank}</td>
              <td class="moves">
                <Change change={one.change} />
              </td>
              <th scope="row">
                {value(one) ? <Link to={to(value(one))}>{value(one)}</Link> : <em>without</em>}
              </th>
              <td class="number hits">
                <span class="measured">
                  <progress
                    class="share"
                    value={one.hits}
                    max={Math.max(1, shares.items[0]?.hits ?? 1)}
                    aria-hidden="true"
                  />
                  {bounded(one.hits, one.hitsAtMost)}
                </span>
              </td>
              <td class="number">{aligned(one.share)}</td>
              <td class="number">{change(one.hits, one.hitsBefore)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
