// A brand's keys: which one goes into the lines to copy, and that they have changed.
import { Cell } from "./cell.ts";

export interface Key {
  id: string;
  key: string;
  kind: string;
  scopes: string[];
  label: string;
  created: string;
  lastUsed: string | null;
  expires: string | null;
  replacedBy: string | null;
}

// Counts the changes that were made here, so that whatever shows a key asks again.
export const keyChanges = new Cell(0);

// The public key that lasts: one that has a successor or an end would lose all hits of the pages that carry it.
export function publicKeyOf(keys: readonly Key[]): string | undefined {
  const lasting = keys.filter((one) => one.kind === "public" && !one.replacedBy && !one.expires);
  return lasting.sort((a, b) => Date.parse(b.created) - Date.parse(a.created))[0]?.key;
}
