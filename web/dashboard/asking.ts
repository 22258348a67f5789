// An answer that a component shows, asked for again from time to time and kept while the server is away.
import { useEffect, useRef, useState } from "preact/hooks";
import { addressWith, ask, Gone, Problem, type Query } from "./api.ts";
import { facts } from "./facts.ts";

export interface Asked<T> {
  value: T | undefined;
  problem: Problem | undefined;
  isAsking: boolean;
  again: () => void;
}

const SLOWEST_MS = 10_000;
const BUSY_MS = 1_500;

// How long to wait after so many failures: a server that comes back is not met by everybody at once.
export function patience(failures: number, everyMs: number, chance: number): number {
  const base = Math.min(SLOWEST_MS, 1_000 * 2 ** Math.min(failures, 6));
  return failures === 0 ? everyMs : base * (0.75 + 0.5 * chance);
}

const WRONG = [400, 405, 410, 414, 422]; // The question itself is: the same one again has the same answer.

export function isWrong(error: unknown): boolean {
  return error instanceof Problem && WRONG.includes(error.status);
}

// How long after a failure the same is asked again; null: not by itself.
export function waitAfter(error: unknown, failures: number, everyMs: number, chance: number): number | null {
  const isBusy = error instanceof Problem && (error.status === 503 || error.status === 429);
  if (isBusy && failures < 4) return BUSY_MS;
  if (isBusy || error instanceof Gone || (everyMs && !isWrong(error)))
    return patience(failures, everyMs, chance);
  return null;
}

export function useAsked<T>(path: string | null, query: Query = {}, everyMs = 0): Asked<T> {
  const address = path === null ? null : addressWith(path, query);
  const [state, setState] = useState<{ address: string | null; value?: T; problem?: Problem }>({ address });
  const [turn, setTurn] = useState(0);
  const failures = useRef(0);

  useEffect(() => {
    if (address === null) return;
    let isOver = false;
    let timer = 0;
    const later = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => void look(), ms) as unknown as number;
    };
    const look = async () => {
      if (document.hidden) return; // It is asked when it is looked at again.
      try {
        const { body, maxAgeS } = await ask<T>("GET", address);
        if (isOver) return;
        failures.current = 0;
        setState({ address, value: body });
        // Where every answer costs money, none is asked for before caches would let go of it.
        if (everyMs) later(facts.live ? everyMs : Math.max(everyMs, maxAgeS * 1_000));
      } catch (error) {
        if (isOver) return;
        const isBusy = error instanceof Problem && (error.status === 503 || error.status === 429);
        failures.current += 1;
        if (error instanceof Problem && !isBusy) setState({ address, problem: error });
        else if (!(error instanceof Gone) && !isBusy) throw error;
        const waitMs = waitAfter(error, failures.current, everyMs, Math.random());
        if (waitMs !== null) later(waitMs);
      }
    };
    const onShown = () => {
      if (!document.hidden) void look();
    };
    document.addEventListener("visibilitychange", onShown);
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
    };
  }, [address, everyMs, turn]);

  const isCurrent = state.address === address;
  return {
    value: isCurrent ? state.value : undefined,
    problem: isCurrent ? state.problem : undefined,
    isAsking: address !== null && (!isCurrent || (state.value === undefined && state.problem === undefined)),
    again: () => setTurn((times) => times + 1),
  };
}

// The same subject asked about another span: what was told last stays until the new answer is there. It names its
// own span, so nothing wrong is shown, and a page that settles on a span does not blink.
export function useKept<T>(asked: Asked<T>, subject: string): Asked<T> {
  const last = useRef<{ subject: string; value: T } | undefined>(undefined);
  if (asked.value !== undefined) last.current = { subject, value: asked.value };
  if (!asked.isAsking || last.current?.subject !== subject) return asked;
  return { ...asked, value: last.current.value };
}
