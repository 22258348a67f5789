// Sections and types: what each comes to, and how that changed.
import { addressOf, changed, go, place, useParameters } from "../address.ts";
import type { Query } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { type Compared, changeSaid, earlier, moveOf } from "../earlier.ts";
import { escaped, wantedFrom } from "../filters.ts";
import { Change } from "../parts/Assets.tsx";
import { Periods } from "../parts/Filters.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Share, Shares } from "../shapes.ts";
import { aligned, bounded, counted, knownZone } from "../words.ts";

export function SectionsPage() {
  const { brand, periods } = useStanding();
  const parameters = useParameters();
  const wanted = wantedFrom(parameters, periods, knownZone(brand.zone));
  const query = { brand: brand.brand, period: wanted.period || "day", limit: 100 };
  const sections = useAsked<Shares>("/v1/top/sections", query, 10_000);
  const types = useAsked<Shares>("/v1/top/types", query, 10_000);
  const ofSections = useCompared("/v1/top/sections", query);
  const ofTypes = useCompared("/v1/top/types", query);
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
                compared={ofSections}
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
                compared={ofTypes}
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

// Whole windows beside those of an earlier time, which is asked for once it is known which they are.
function useCompared(path: string, query: Query): Compared | undefined {
  const closed = useAsked<Shares>(path, { ...query, closed: "true" }, 60_000).value;
  const span = closed && earlier(closed.from, closed.to);
  const { brand, limit } = query;
  const before = useAsked<Shares>(span ? path : null, { brand, limit, from: span?.from, to: span?.to }).value;
  return closed && span && before ? { closed, before, span } : undefined;
}

interface ShareTableProps {
  shares: Shares;
  compared: Compared | undefined;
  name: string;
  value: (one: Share) => string;
  to: (value: string) => string;
}

function ShareTable({ shares, compared, name, value, to }: ShareTableProps) {
  const { times } = useStanding();
  if (!shares.items.length) return <Empty title="Nothing was read in this span" />;
  const since = compared ? `on ${compared.span.brief}` : "";
  const rows = shares.items.map((one) => ({ one, move: moveOf(compared, value, value(one)) }));
  return (
    <>
      <p class="about">
        {[times.spanOf(shares.from, shares.to), counted(shares.hits, "hit"), changeSaid(compared)]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              #
            </th>
            <th scope="col" class="moves">
              <span class="hidden">Change of rank {since}</span>
            </th>
            <th scope="col">{name}</th>
            <th scope="col" class="number">
              Hits
            </th>
            <th scope="col" class="number">
              Share
            </th>
            <th scope="col" class="number">
              Change<span class="hidden"> {since}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ one, move }) => (
            <tr key={value(one)}>
              <td class="number rank">{one.rank}</td>
              <td class="moves">
                <Change change={move.rank} />
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
              <td class="number">{move.said}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
