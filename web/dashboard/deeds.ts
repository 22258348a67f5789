// Acts of the audit trail in words. Pure.

export interface Deed {
  at: string;
  by: string;
  act: string;
  subject: string;
  details: Record<string, string | number | boolean | null>;
}

const ACTS: Record<string, string> = {
  "brand-added": "added the brand",
  "brand-changed": "changed the brand",
  "brand-removed": "removed the brand",
  "key-added": "made the key",
  "key-rotated": "rotated the key",
  "key-revoked": "revoked the key",
  "recount-asked": "had hits counted again",
  "aside-replayed": "had hits taken again",
  "counter-deleted": "deleted the counter",
  "counter-imported": "imported the counter",
  "asset-deleted": "deleted the asset",
  "list-updated": "brought the list",
  "rules-changed": "changed the rules of",
  "verdict-confirmed": "kept out",
  "verdict-released": "released",
  "asset-pinned": "pinned",
  "asset-unpinned": "unpinned",
  "asset-hidden": "hid",
  "asset-shown": "showed again",
  "signed-in": "signed in",
  "signed-out": "signed out",
  "person-added": "made an account",
  "person-removed": "removed the account",
  "password-changed": "changed the password",
  "reset-asked": "asked for a new password",
  "password-reset": "chose a new password",
  invited: "invited somebody",
  "invitation-withdrawn": "withdrew the invitation",
  "role-changed": "changed the role of",
};

export function actWords(act: string): string {
  return ACTS[act] ?? act.replaceAll("-", " ");
}

// "Ann Editor (p_3k7mqz2v9xw4t6ra)" is Ann Editor; whoever has no name is a key or the command line.
export function byWords(by: string): string {
  const named = /^(.+) \(p_[a-z0-9]+\)$/.exec(by);
  if (named?.[1]) return named[1];
  return by === "no key" ? "Somebody without a key" : /^[a-z0-9]{16}$/.test(by) ? `Key ${by}` : by;
}

// What it was done to; nothing when somebody did it to themselves.
export function subjectWords({ by, subject }: Pick<Deed, "by" | "subject">): string {
  return subject === by ? "" : /\(p_[a-z0-9]+\)$/.test(subject) ? byWords(subject) : subject;
}

export function detailWords(details: Deed["details"]): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== "" && value !== false)
    .map(([name, value]) => (value === true ? spaced(name) : `${spaced(name)}: ${value}`))
    .join(" · ");
}

// "pathsRemoved" is "paths removed".
function spaced(name: string): string {
  return name
    .replace(/_/g, " ")
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}
