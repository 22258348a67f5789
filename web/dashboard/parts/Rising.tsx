// The few that rise most, beside the list.
import { assetAddress } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import type { Rises } from "../shapes.ts";
import { Link } from "./Link.tsx";
import { Shown } from "./states.tsx";

const RISING = 8;

export function Rising() {
  const { brand } = useStanding();
  const asked = useAsked<Rises>("/v1/trending", { brand: brand.brand, limit: RISING }, 30_000);
  return (
    <Shown asked={asked} what="Reading what rises">
      {(rises) =>
        rises.items.length ? (
          <ol class="brief">
            {rises.items.map((item) => (
              <li key={item.assetId}>
                <Link to={assetAddress(item.assetId, brand.brand)}>{item.title || item.assetId}</Link>
                <span class="number">×{item.rise.toFixed(1)}</span>
              </li>
            ))}
          </ol>
        ) : (
          <p class="about">Nothing rises above its own past in the last hour.</p>
        )
      }
    </Shown>
  );
}
