// A verdict in words: what each feature had to do with it, whose hits it means, and what a decision changed. Pure.
import type { Decided, Decision, Note, Verdict } from "./shapes.ts";
import { counted } from "./words.ts";

export interface Part extends Note {
  share: number;
}

export function notesOf(explanation: readonly Note[]): Part[] {
  const sum = explanation.reduce((total, note) => total + Math.max(0, note.attribution), 0);
  return explanation
    .map((note) => ({ ...note, share: sum ? Math.max(0, note.attribution) / sum : 0 }))
    .sort((a, b) => b.share - a.share);
}

export function measured({ value, unit }: { value: number; unit?: string }): string {
  const notation = Math.abs(value) < 1e6 ? "standard" : "compact";
  const number = value.toLocaleString("en", { maximumSignificantDigits: 3, notation });
  const what = number === "1" ? unit?.replace(/^(hit|asset|section|second|kind|part)s\b/, "$1") : unit;
  return what ? `${number} ${what}` : number;
}

export function meantWords(verdict: Pick<Verdict, "kind" | "narrowedTo">): string {
  if (verdict.kind === "visitor") return "all hits of this visitor";
  const { agents = 0, visitors = 0 } = verdict.narrowedTo ?? {};
  if (agents) return `only hits of ${counted(agents, "kind")} of browser; all other readers count`;
  if (visitors) return `only hits of ${counted(visitors, "visitor")}; all other readers count`;
  return "all hits of this asset";
}

const STATES: Record<string, string> = {
  held: "waiting",
  found: "noticed, still counted",
  confirmed: "kept out",
  released: "released",
};

export function stateWords(state: string): string {
  return STATES[state] ?? state;
}

// What came of a decision on one or many: how many, which past is counted again, and what could not be done.
export function changedWords(
  decision: Decision,
  items: readonly Decided[],
  span: (from: string, to: string) => string,
): string {
  const done = items.filter((one) => !one.problem);
  const failed = items.filter((one) => one.problem);
  const said: string[] = [];
  if (done.length) {
    const what =
      decision === "release" ? "released: their hits are readers’ again" : "kept out of every list";
    said.push(`${counted(done.length, "case")} ${what}.`);
  }
  const spans = done.flatMap(({ recount }) =>
    recount?.from && recount.to ? [[recount.from, recount.to]] : [],
  );
  if (spans.length) {
    const from = spans.map(([start = ""]) => start).sort((a, b) => Date.parse(a) - Date.parse(b))[0] ?? "";
    const to = spans.map(([, end = ""]) => end).sort((a, b) => Date.parse(b) - Date.parse(a))[0] ?? "";
    said.push(`The past is being counted again: ${span(from, to)}.`);
  } else if (done.length) said.push("Nothing of the past has to be counted again.");
  const note = done.find(({ recount }) => recount?.note)?.recount?.note;
  if (note) said.push(`But ${note}.`);
  if (failed.length) said.push(`${counted(failed.length, "case")} left as before: ${failed[0]?.problem}.`);
  return said.join(" ");
}
