// The lineage: a picture, and the same as lists, what a metric needs in one and who needs it in the other.
import { useMemo, useState } from "preact/hooks";
import { metricAddress } from "../address.ts";
import type { Asked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { type Branch, type Lineage, needsOf, usersOf } from "../lineage.ts";
import { kindWords, unitWords } from "../metrics.ts";
import { pictureOf } from "../picture.ts";
import { LineagePicture } from "./LineagePicture.tsx";
import { Link } from "./Link.tsx";
import { Shown } from "./states.tsx";

export function LineageTree({ asked }: { asked: Asked<Lineage> }) {
  return (
    <section class="card" aria-labelledby="lineage-title">
      <h2 id="lineage-title">Where it comes from and who needs it</h2>
      <Shown asked={asked} what="Reading its lineage">
        {(lineage) => <Drawn lineage={lineage} />}
      </Shown>
    </section>
  );
}

// Where there is room a picture, and the same as lists; on a phone the lists.
function Drawn({ lineage }: { lineage: Lineage }) {
  const [isNarrow] = useState(() => matchMedia("(max-width: 60rem)").matches);
  const picture = useMemo(() => pictureOf(lineage), [lineage]);
  const lists = (
    <div class="lineage">
      <Side id="needs-title" title="It is computed from" branches={needsOf(lineage)}>
        Nothing else: it is measured itself.
      </Side>
      <Side id="users-title" title="It is needed by" branches={usersOf(lineage)}>
        No other metric.
      </Side>
    </div>
  );
  return (
    <>
      {picture ? (
        <>
          <p class="about wide">What it is computed from is at its left, who needs it at its right.</p>
          <LineagePicture picture={picture} />
        </>
      ) : null}
      {picture ? (
        <details class="as-table" open={isNarrow}>
          <summary>The same as lists</summary>
          {lists}
        </details>
      ) : (
        lists
      )}
      {lineage.isCut ? <p class="about">There are more than are shown here.</p> : null}
    </>
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
          <Link to={metricAddress(row.name, brand.brand)}>
            <bdi>{row.title || row.name}</bdi>
          </Link>{" "}
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
