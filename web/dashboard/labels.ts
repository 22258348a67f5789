// What is known of an asset: by the catalogue, and where that says nothing by its hits, as lists show it. Pure.
import type { Item, Label } from "./shapes.ts";

export interface Known {
  title?: string | null;
  address?: string | null;
  sectionId?: Label;
  resourceType?: string | null;
  paidType?: string | null;
  published?: string | null;
  authors?: string[];
  tags?: string[];
}

// Whether lists may know more than the catalogue does.
export function lacksLabels(known: Known | undefined): boolean {
  return [known?.sectionId, known?.resourceType, known?.paidType].some(isEmpty);
}

function isEmpty(label: Label | undefined): boolean {
  return label === undefined || label === null || label === "";
}

// Lists show the labels that hits carried, so these come first: the page says the same as the list that led to it.
export function labelRows(
  known: Known | undefined,
  listed: Item | undefined,
  when: (text: string) => string,
): [string, string][] {
  const either = (a: Label | undefined, b: Label | undefined) => String((isEmpty(a) ? b : a) ?? "");
  const rows: [string, string][] = [
    ["Section", either(listed?.sectionId, known?.sectionId)],
    ["Type", either(listed?.resourceType, known?.resourceType)],
    ["Paid", either(listed?.paidType, known?.paidType)],
    ["Published", known?.published ? when(known.published) : ""],
    ["Authors", (known?.authors ?? []).join(", ")],
    ["Tags", (known?.tags ?? []).join(", ")],
  ];
  return rows.filter(([, value]) => value);
}
