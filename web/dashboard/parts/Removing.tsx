// Removes a metric for good, or tells by name who still needs it.
import { useState } from "preact/hooks";
import { addressOf, go, metricAddress } from "../address.ts";
import { Problem, send } from "../api.ts";
import { useStanding } from "../context.ts";
import type { Metric } from "../metrics.ts";
import { Acting } from "./Acting.tsx";
import { Folded } from "./Folded.tsx";
import { Link } from "./Link.tsx";

const NAMED_MAX = 20; // The server names no more of them.

export function Removing({ metric }: { metric: Metric }) {
  const { brand } = useStanding();
  const [users, setUsers] = useState<readonly string[]>([]);
  const remove = async () => {
    setUsers([]);
    try {
      await send("DELETE", `/v1/metrics/${encodeURIComponent(metric.name)}`, undefined, {
        brand: brand.brand,
      });
    } catch (error) {
      const named = error instanceof Problem ? error.more.users : undefined;
      if (!Array.isArray(named) || !named.length) throw error;
      setUsers(named.map(String));
      return;
    }
    go(addressOf("/catalogue", brand.brand));
  };
  return (
    <section class="card" aria-labelledby="removing-title">
      <h2 id="removing-title">Remove it</h2>
      <Folded words="Remove it for good">
        <p class="about">
          All its versions and all numbers that were sent for it go with it, and cannot be brought back. A
          metric that others need stays; deprecate it instead.
        </p>
        <p class="acts">
          <Acting words="Remove" about={metric.title || metric.name} act={remove} isGrave />
        </p>
      </Folded>
      {users.length ? (
        <div class="warning" role="alert">
          <p>
            <strong>It stays</strong>, because{" "}
            {users.length < NAMED_MAX ? "these need it" : "others need it, these among them"}. Change them
            first, or deprecate it.
          </p>
          <ul class="plain users">
            {users.map((name) => (
              <li key={name}>
                <Link to={metricAddress(name, brand.brand)}>
                  <bdi>{name}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </section>
  );
}
