// The lineage as a picture: a box for each metric, lines from what is needed to who needs it.
import { useState } from "preact/hooks";
import { metricAddress } from "../address.ts";
import { useStanding } from "../context.ts";
import { unitWords } from "../metrics.ts";
import type { Picture, Spot } from "../picture.ts";
import { Link } from "./Link.tsx";

const ROW_PX = 50;
const BOX = 0.78; // of its column's width; lines are drawn in the rest.

export function LineagePicture({ picture }: { picture: Picture }) {
  const [near, setNear] = useState("");
  const { columns, rows } = picture;
  const at = (column: number) => `${(100 * column) / columns}%`;
  const middle = ({ place }: Spot) => (place + 0.5) * ROW_PX;
  return (
    <section class="scroll lineage-scroll" tabIndex={0} aria-label="The lineage as a picture">
      <div
        class="picture"
        style={{
          height: `${rows * ROW_PX}px`,
          minWidth: `${columns * 9}rem`,
          maxWidth: `${columns * 17}rem`,
        }}
      >
        <svg aria-hidden="true">
          {picture.edges.map(({ from, to }) => (
            <line
              key={`${from.row.name}\n${to.row.name}`}
              class={[from.row.name, to.row.name].includes(near) ? "near" : undefined}
              x1={at(from.column + (1 + BOX) / 2)}
              y1={middle(from)}
              x2={at(to.column + (1 - BOX) / 2)}
              y2={middle(to)}
            />
          ))}
        </svg>
        <ul>
          {picture.spots.map((spot) => (
            <li
              key={spot.row.name}
              class={spot.isSelf ? "spot self" : "spot"}
              style={{
                left: at(spot.column + (1 - BOX) / 2),
                width: at(BOX),
                top: `${spot.place * ROW_PX + 4}px`,
                height: `${ROW_PX - 8}px`,
              }}
              onMouseEnter={() => setNear(spot.row.name)}
              onMouseLeave={() => setNear("")}
              onFocusIn={() => setNear(spot.row.name)}
              onFocusOut={() => setNear("")}
            >
              <Box spot={spot} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Box({ spot: { row, isSelf } }: { spot: Spot }) {
  const { brand } = useStanding();
  const name = row.title || row.name;
  return (
    <>
      {isSelf ? (
        <strong title={name} dir="auto">
          {name}
        </strong>
      ) : (
        <Link to={metricAddress(row.name, brand.brand)} title={name} dir="auto">
          {name}
        </Link>
      )}
      <small>{row.isDeprecated ? "deprecated" : unitWords(row.unit)}</small>
    </>
  );
}
