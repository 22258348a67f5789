// A migration in words: how far it is, whether it is still heard of, and what to do next. Pure.
import { counted, whole } from "./words.ts";

export interface Migration {
  entity: string;
  startedAt: string;
  heardAt: string;
  ageMs: number;
  endedAt: string | null;
  all: number;
  migrated: number;
  moving: number;
  left: number;
  setAside: number;
  share: number;
  perSecond: number;
  timeLeftMs: number | null;
  lag: number;
  lagMs: number;
  differences: number | null;
  behind: number;
  blocked: { upToMs: number | null; count: number }[];
}

export const EVERY_MS = 3_000;
const SILENT_MS = 15_000; // A mover says how far it is every second.

export function isSilent({ endedAt, ageMs }: Migration): boolean {
  return endedAt === null && ageMs > SILENT_MS;
}

// A share that never says all before it is all, nor nothing once there is something.
export function shareWords({ share, migrated, all }: Migration): string {
  const bounded = migrated < all ? Math.min(share, 0.999) : 1;
  return `${(Math.floor(bounded * 1_000) / 10).toFixed(1)} %`;
}

export function lasting(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

// How long it still takes; a dash where nobody knows.
export function timeLeft(one: Migration): string {
  if (!one.left && !one.moving) return "none";
  return one.timeLeftMs === null || isSilent(one) ? "–" : lasting(one.timeLeftMs);
}

export function paceWords(one: Migration): string {
  if (!one.left && !one.moving) return "all is copied";
  if (isSilent(one)) return "nothing moves";
  if (!one.perSecond) return "no pace yet";
  return `at ${one.perSecond < 10 ? one.perSecond.toFixed(1) : whole(Math.round(one.perSecond))} a second`;
}

export function stateWords(one: Migration): string {
  if (one.endedAt !== null) return "Ended";
  if (isSilent(one)) return "Silent";
  if (one.left || one.moving) return one.migrated || one.moving ? "Moving" : "Prepared";
  return "Following";
}

// What the bar says to whoever does not see it.
export function barWords(one: Migration): string {
  const { migrated, all, left, moving, setAside } = one;
  const rest = [left && `${whole(left)} left`, moving && `${whole(moving)} moving`];
  const aside = setAside ? `${whole(setAside)} set aside` : 0;
  return [`${whole(migrated)} of ${whole(all)} moved`, ...rest, aside].filter(Boolean).join(", ");
}

export interface Step {
  says: string;
  command?: string;
}

// What to do next, the most pressing first; the same as the report says at the end.
export function nextSteps(one: Migration): Step[] {
  if (one.endedAt !== null) return [{ says: "Nothing. It has ended; both sides are on their own." }];
  const steps: Step[] = [];
  if (one.differences)
    steps.push({
      says: `Do not switch: ${counted(one.differences, "difference")} found. See which, and who writes to the catalogue beside the migration.`,
      command: "verify",
    });
  if (isSilent(one))
    steps.push({
      says: "Look whether it still runs, and start it again; it goes on where it was.",
      command: "run",
    });
  if (one.setAside)
    steps.push({
      says: `Repair in the old database what is set aside, and it is moved by itself. The reasons are told by:`,
      command: "status",
    });
  if (!isSilent(one) && (one.left || one.moving)) steps.push({ says: "Let it run until nothing is left." });
  if (steps.length) return steps;
  if (one.lag) return [{ says: "Wait until no changes wait." }];
  if (one.differences === null)
    return [{ says: "Everything is moved. Compare both sides:", command: "verify" }];
  return [
    {
      says: "Everything is moved, and equal on both sides. Let the new side answer:",
      command: "switch --all",
    },
    { says: "It can be taken back at any time:", command: "back --all" },
    { says: "For the record, and whoever has to decide:", command: "report" },
    { says: "When nobody needs the way back any more:", command: "end" },
  ];
}

const WHERE = "--from mysql://app@127.0.0.1/catalogue --mapping mapping.yaml --data data";

export function commandOf(act: string): string {
  return `footfall migrate ${act} ${WHERE}`;
}
