// Rows of assets as a table, whose rows glide to their new places when a list moves.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { assetAddress } from "../address.ts";
import type { Item } from "../shapes.ts";
import { bounded } from "../words.ts";
import { Link } from "./Link.tsx";

const MOVE_MS = 400;

export function Change({ change }: { change: number | null | undefined }) {
  if (change === undefined) return null;
  const [way, sign, words] =
    change === null
      ? ["new", "new", "new in the list"]
      : change > 0
        ? ["up", `▲ ${change}`, `up ${change}`]
        : change < 0
          ? ["down", `▼ ${-change}`, `down ${-change}`]
          : ["same", "–", "in the same place"];
  return (
    <span class={`change ${way}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="hidden">{words}</span>
    </span>
  );
}

export function Named({ item, brand }: { item: Item; brand: string }) {
  const labels = [
    item.sectionId === null || item.sectionId === "" ? null : `section ${item.sectionId}`,
    item.resourceType,
    item.paidType,
  ].filter(Boolean);
  return (
    <>
      <Link to={assetAddress(item.assetId, brand)} class="asset" title={item.assetId}>
        <bdi>{item.title || item.assetId}</bdi>
      </Link>
      {item.pinned ? <span class="tag">pinned</span> : null}
      <span class="labels">{labels.join(" · ")}</span>
    </>
  );
}

export interface Column {
  name: string;
  isNumber?: boolean;
  cell: (item: Item) => ComponentChildren;
  class?: string;
}

export function AssetTable({
  items,
  brand,
  caption,
  columns,
}: {
  items: readonly Item[];
  brand: string;
  caption: string;
  columns: readonly Column[];
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const hasChanges = items.some((item) => item.change !== undefined);
  useGliding(body, items.map((item) => item.assetId).join("\n"));
  return (
    <table class="assets">
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            <span class="hidden">Rank</span>#
          </th>
          {hasChanges ? (
            <th scope="col" class="moves">
              <span class="hidden">Change</span>
            </th>
          ) : null}
          <th scope="col">Asset</th>
          {columns.map((column) => (
            <th
              scope="col"
              key={column.name}
              class={`${column.isNumber ? "number " : ""}${column.class ?? ""}`}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {items.map((item) => (
          <tr key={item.assetId} data-asset={item.assetId}>
            <td class="number rank">{item.rank ?? "–"}</td>
            {hasChanges ? (
              <td class="moves">
                <Change change={item.change} />
              </td>
            ) : null}
            <th scope="row" class="what">
              <Named item={item} brand={brand} />
            </th>
            {columns.map((column) => (
              <td key={column.name} class={`${column.isNumber ? "number " : ""}${column.class ?? ""}`}>
                {column.cell(item)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function hitsColumn(most: number): Column {
  return {
    name: "Hits",
    isNumber: true,
    class: "hits",
    cell: (item) => (
      <span class="measured">
        <progress class="share" value={item.hits} max={Math.max(1, most)} aria-hidden="true" />
        {bounded(item.hits, item.hitsAtMost)}
      </span>
    ),
  };
}

// First, last, invert, play: rows are drawn where they belong and come from where they were.
function useGliding(body: { current: HTMLTableSectionElement | null }, order: string): void {
  const before = useRef(new Map<string, number>());
  useLayoutEffect(() => {
    const rows = [...(body.current?.rows ?? [])];
    const places = new Map(rows.map((row) => [row.dataset.asset ?? "", row.offsetTop]));
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!isStill && before.current.size) {
      for (const row of rows) {
        const [was, is] = [
          before.current.get(row.dataset.asset ?? ""),
          places.get(row.dataset.asset ?? "") ?? 0,
        ];
        if (was === undefined) row.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MOVE_MS });
        else if (was !== is) {
          row.animate([{ transform: `translateY(${was - is}px)` }, { transform: "none" }], {
            duration: MOVE_MS,
            easing: "ease-out",
          });
        }
      }
    }
    before.current = places;
  }, [order]);
}
