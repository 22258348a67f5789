// The lineage as a picture of lists: what a metric needs at one side, who needs it at the other, lines between them.
import { metricAddress } from "../address.ts";
import type { Asked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { type Branch, type Lineage, needsOf, usersOf } from "../lineage.ts";
import { kindWords, unitWords } from "../metrics.ts";
import { Link } from "./Link.tsx";
import { Shown } from "./states.tsx";

export function LineageTree({ asked }: { asked: Asked<Lineage> }) {
  return (
    <section class="card" aria-labelledby="lineage-title">
      <h2 id="lineage-title">Where it comes from and who needs it</h2>
      <Shown asked={asked} what="Reading its lineage">
        {(lineage) => (
          <>
            <div class="lineage">
              <Side id="needs-title" title="It is computed from" branches={needsOf(lineage)}>
                Nothing else: it is measured itself.
              </Side>
              <p class="lineage-self">
                <span aria-hidden="true">→</span>
                <strong>{lineage.name}</strong>
                <span aria-hidden="true">→</span>
              </p>
              <Side id="users-title" title="It is needed by" branches={usersOf(lineage)}>
                No other metric.
              </Side>
            </div>
            {lineage.isCut ? <p class="about">There are more than are shown here.</p> : null}
          </>
        )}
      </Shown>
    </section>
  );
}

function Side({
  id,
  title,
  branches,
  children,
}: {
  id: string;
  title: string;
  branches: Branch[];
  children: string;
}) {
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {branches.length ? <Tree branches={branches} /> : <p class="about">{children}</p>}
    </section>
  );
}

function Tree({ branches }: { branches: Branch[] }) {
  const { brand } = useStanding();
  return (
    <ul class="tree">
      {branches.map(({ row, branches, isAgain }) => (
        <li key={row.name}>
          <Link to={metricAddress(row.name, brand.brand)}>{row.title || row.name}</Link>{" "}
          {row.isDeprecated ? <span class="tag">deprecated</span> : null}
          <span class="labels">
            {[row.title ? row.name : "", unitWords(row.unit), kindWords(row.valueType)]
              .filter(Boolean)
              .join(" · ")}
            {isAgain ? " · its parts are above" : ""}
          </span>
          {branches.length ? <Tree branches={branches} /> : null}
        </li>
      ))}
    </ul>
  );
}
