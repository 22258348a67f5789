// Acts of the audit trail in words. Pure.
import { causeWords } from "./reasons.ts";

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
  "alert-added": "made the alert",
  "alert-changed": "changed the alert",
  "alert-removed": "removed the alert",
  "alert-rotated": "gave a new secret to the alert",
  "alert-turned-off": "switched off a place of the alert",
  "metric-added": "defined the metric",
  "metric-changed": "changed the metric",
  "metric-deprecated": "deprecated the metric",
  "metric-restored": "restored the metric",
  "metric-removed": "removed the metric",
  "capture-shared": "shared the capture of",
  "capture-unshared": "stopped sharing the capture of",
  "capture-held": "put under legal hold",
  "capture-released": "released from legal hold",
  "capture-removed": "removed the capture of",
  "watch-added": "added to the watch list",
  "watch-changed": "changed on the watch list",
  "watch-removed": "took off the watch list",
};

export interface Told {
  act: string;
  subject: string;
  more: string;
}

// An act as a sentence: what was done, to what, and whatever else an editor wants to know of it.
export function deedWords(deed: Deed): Told {
  const plain = { act: actWords(deed.act), subject: subjectWords(deed), more: detailWords(deed.details) };
  return { ...plain, ...(SPECIAL[deed.act]?.(deed, plain) ?? {}) };
}

const KINDS: Record<string, string> = {
  "asset-passes": "when an asset passes a number of hits",
  "brand-silent": "when the brand falls silent",
  "drops-spike": "when many hits are not counted",
  "page-changes": "when a watched page changes",
};

type Special = (deed: Deed, plain: Told) => Partial<Told>;

const ofKey: Special = ({ subject, details }) => ({
  subject: text(details.label) || subject,
  more: joined(
    text(details.kind),
    details.kind === "secret" && `may ${text(details.scopes).split(" ").join(", ")}`,
  ),
});
// A rule that was switched off is a change like any other; what has parts is told by their names.
const ofBrand: Special = ({ details }) => ({
  more: joined(...Object.entries(details).map(([name, value]) => ruleWords(name, value))),
});

function ruleWords(name: string, value: Deed["details"][string]): string {
  if (name === "isPublic") return value ? "lists are public" : "lists are private";
  if (typeof value === "boolean") return `${spaced(name)}: ${value ? "yes" : "no"}`;
  return `${spaced(name)}: ${partsOf(text(value)) || "none"}`;
}

function partsOf(value: string): string {
  if (!/^[[{]/.test(value)) return value;
  try {
    const parts: unknown = JSON.parse(value);
    return (Array.isArray(parts) ? parts.map(String) : Object.keys(parts as object)).join(", ");
  } catch {
    return value; // One that was too long is cut.
  }
}

const ofAlert: Special = ({ subject, details }) => ({
  subject: text(details.name) || subject,
  more: joined(
    KINDS[text(details.kind)] ?? text(details.kind),
    details.isOn === false && "switched off",
    text(details.why),
  ),
});
// A hash is for programs; whoever reads wants to know why.
const ofMetric: Special = ({ details }) => ({
  more: joined(
    details.version !== undefined && `version ${text(details.version)}`,
    text(details.reason),
    Boolean(details.replacement) && `use ${text(details.replacement)} instead`,
  ),
});
// A capture is known by its page, a watch by its name; their ids are for programs.
const ofCapture: Special = ({ subject, details }) => ({
  subject: text(details.url) || subject,
  more: text(details.why),
});
const ofWatch: Special = ({ subject, details }) => ({
  subject: text(details.name) || subject,
  more: details.isOn === false ? "switched off" : "",
});
const ofVerdict: Special = ({ details }) => ({ more: details.cause ? causeWords(text(details.cause)) : "" });

const SPECIAL: Record<string, Special> = {
  "brand-changed": ofBrand,
  "key-added": ofKey,
  "key-revoked": ofKey,
  "key-rotated": (deed, plain) => ({
    ...ofKey(deed, plain),
    more: joined(
      text(deed.details.kind),
      Number(deed.details.graceSeconds ?? 0) > 0 &&
        `the old one worked for another ${lasting(Number(deed.details.graceSeconds))}`,
    ),
  }),
  "alert-added": ofAlert,
  "alert-changed": ofAlert,
  "alert-removed": ofAlert,
  "alert-rotated": ofAlert,
  "alert-turned-off": ofAlert,
  "metric-added": ofMetric,
  "metric-changed": ofMetric,
  "metric-deprecated": ofMetric,
  "metric-restored": ofMetric,
  "capture-shared": ofCapture,
  "capture-unshared": ofCapture,
  "capture-held": ofCapture,
  "capture-released": ofCapture,
  "capture-removed": ofCapture,
  "watch-added": ofWatch,
  "watch-changed": ofWatch,
  "watch-removed": ofWatch,
  "verdict-confirmed": ofVerdict,
  "verdict-released": ofVerdict,
  "role-changed": ({ details }, { subject }) => {
    const [role, before] = [text(details.role), text(details.before)];
    if (!subject)
      return { act: role === "none" ? "left the brand" : "came into the brand", more: asRole(role) };
    if (role === "none") return { act: "took the role away from", more: `was ${before}` };
    return { act: "gave a role to", more: joined(role, before !== "none" && `was ${before}`) };
  },
  invited: ({ details }) => ({
    act: "invited",
    subject: text(details.email) || "whoever has the link",
    more: asRole(text(details.role)),
  }),
  "invitation-withdrawn": ({ details }) => ({ subject: "", more: asRole(text(details.role)) }),
  "person-added": ({ details }) => ({ more: details.isOwner ? "an owner of the instance" : "" }),
  "signed-in": ({ details }) => ({ more: details.browser ? `with ${details.browser}` : "" }),
  "signed-out": ({ details }) => ({
    more: Number(details.sessionsEnded ?? 1) > 1 ? `of ${details.sessionsEnded} browsers` : "",
  }),
};

function asRole(role: string): string {
  return role && role !== "none" ? `as ${role}` : "";
}

function text(value: Deed["details"][string] | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function joined(...parts: (string | false)[]): string {
  return parts.filter(Boolean).join(" · ");
}

// A time as people say it: 86400 is a day.
function lasting(seconds: number): string {
  const units = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds >= length && seconds % length === 0) ?? [
    "second",
    1,
  ];
  const amount = seconds / length;
  return amount === 1 ? unit : `${amount.toLocaleString("en")} ${unit}s`;
}

export function actWords(act: string): string {
  return ACTS[act] ?? act.replaceAll("-", " ");
}

// "Ann Editor (p_3k7mqz2v9xw4t6ra)" is Ann Editor, "nightly job (3k7mqz2v9xw4t6ra)" the key that is labelled so;
// whoever has no name is a key without a label, or the command line.
export function byWords(by: string): string {
  const named = /^(.+) \(p_[a-z0-9]+\)$/.exec(by);
  if (named?.[1]) return named[1];
  const key = /^(?:(.+) \()?([a-z0-9]{16})\)?$/.exec(by);
  if (key) return `Key ${key[1] ?? key[2]}`;
  return by === "no key" ? "Somebody without a key" : by;
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
