// Trending: what rises against its own past, and the numbers behind each rank.
import { changed, go, place, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { AssetTable } from "../parts/Assets.tsx";
import { Spark } from "../parts/Spark.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Rise, Rises } from "../shapes.ts";
import { whole } from "../words.ts";

export function TrendingPage() {
  const { brand, times } = useStanding();
  const parameters = useParameters();
  const section = parameters.get("section") ?? "";
  const asked = useAsked<Rises>("/v1/trending", { brand: brand.brand, section, limit: 50 }, 15_000);
  return (
    <>
      <div class="head">
        <h1>Trending</h1>
        <label class="field inline">
          <span>Section</span>
          <input
            value={section}
            placeholder="any"
            autocomplete="off"
            onChange={(event) => {
              const next = changed(parameters, {
                brand: brand.brand,
                section: event.currentTarget.value.trim(),
              });
              go(`${place.value.path}?${next}`, { replaces: true });
            }}
          />
        </label>
      </div>
      <section class="card" aria-label="What rises">
        <Shown asked={asked} what="Reading what rises">
          {(rises) => (
            <>
              <p class="about">
                {times.spanOf(rises.from, rises.to)} {brand.zone} · {rises.basis} compared with the day before
              </p>
              {rises.items.length ? (
                <AssetTable
                  items={rises.items}
                  brand={brand.brand}
                  caption="What rises most, first"
                  columns={[
                    {
                      name: "Rise",
                      isNumber: true,
                      class: "rise",
                      cell: (item) => `×${(item as Rise).rise.toFixed(1)}`,
                    },
                    {
                      name: rises.basis === "visitors" ? "Visitors" : "Hits",
                      isNumber: true,
                      cell: (item) =>
                        whole((rises.basis === "visitors" ? item.uniques : item.hits) ?? item.hits),
                    },
                    {
                      name: "Lately",
                      class: "lately",
                      cell: (item) => (
                        <Spark brand={brand.brand} asset={item.assetId} grain="hour" last={25} />
                      ),
                    },
                  ]}
                />
              ) : (
                <Empty title="Nothing rises just now">
                  <p>
                    An asset is here when its last hour is well above its own past. A handful of hits moves
                    nothing.
                  </p>
                </Empty>
              )}
            </>
          )}
        </Shown>
      </section>
    </>
  );
}
