// What a page says when there is nothing to show: not yet, nothing, refused.
import type { ComponentChildren } from "preact";
import { addressOf } from "../address.ts";
import type { Problem } from "../api.ts";
import type { Asked } from "../asking.ts";
import { Link } from "./Link.tsx";

export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <p class="state loading" role="status">
      {what}…
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Refused({ problem, again }: { problem: Problem; again?: () => void }) {
  const needsPerson = problem.status === 401;
  const isForbidden = problem.status === 403;
  const title = needsPerson ? "Sign in to see this" : isForbidden ? "Not for your role" : "This did not work";
  return (
    <div class="state refused" role="alert">
      <h2>{title}</h2>
      <p>{problem.message}</p>
      {needsPerson ? (
        <p>
          <Link to={addressOf("/sign-in", "", { next: location.pathname + location.search })} class="button">
            Sign in
          </Link>
        </p>
      ) : again ? (
        <p>
          <button type="button" onClick={again}>
            Try again
          </button>
        </p>
      ) : null}
    </div>
  );
}

// Draws an answer once it is there, and otherwise says why it is not.
export function Shown<T>({
  asked,
  what,
  children,
}: {
  asked: Asked<T>;
  what?: string;
  children: (value: T) => ComponentChildren;
}) {
  if (asked.value !== undefined) return <>{children(asked.value)}</>;
  if (asked.problem) return <Refused problem={asked.problem} again={asked.again} />;
  return <Loading what={what} />;
}
