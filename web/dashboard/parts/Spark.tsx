// A small line of an asset's last hours. It is read when its row comes into view, a few at a time, and kept a while.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api.ts";
import { sparkValues } from "../minutes.ts";
import type { Series } from "../shapes.ts";
import { sparkPath, sparkWords } from "../sparks.ts";

const AT_ONCE = 3;
const KEPT_MS = 120_000;
const KEPT_MAX = 500;
const TRIES_MAX = 3; // A busy instance answers 503 for a moment, and a row would stay without its line.
const AGAIN_MS = 1_500;

const kept = new Map<string, { at: number; values: number[] }>();
const waiting: (() => Promise<void>)[] = [];
let running = 0;

function inTurn(work: () => Promise<void>): void {
  waiting.push(work);
  next();
}

function next(): void {
  while (running < AT_ONCE && waiting.length) {
    running += 1;
    const work = waiting.shift();
    void work?.().finally(() => {
      running -= 1;
      next();
    });
  }
}

export function Spark({
  brand,
  asset,
  grain,
  last,
}: {
  brand: string;
  asset: string;
  grain: string;
  last: number;
}) {
  const holder = useRef<HTMLSpanElement>(null);
  const key = JSON.stringify([brand, asset, grain, last]);
  const [values, setValues] = useState<number[] | undefined>(kept.get(key)?.values);
  useEffect(() => {
    const found = kept.get(key);
    setValues(found?.values);
    if (!holder.current || (found && Date.now() - found.at < KEPT_MS)) return;
    let isWanted = true;
    let again: ReturnType<typeof setTimeout> | undefined;
    const look = async (tries = 1): Promise<void> => {
      if (!isWanted) return;
      try {
        const series = await get<Series>(`/v1/assets/${encodeURIComponent(asset)}/series`, {
          brand,
          grain,
          last,
        });
        const read = sparkValues(series.points);
        if (kept.size >= KEPT_MAX) kept.clear();
        kept.set(key, { at: Date.now(), values: read });
        if (isWanted) setValues(read);
      } catch {
        // A row without its line is still a row; whatever is wrong, the list itself says so.
        if (tries < TRIES_MAX) again = setTimeout(() => inTurn(() => look(tries + 1)), tries * AGAIN_MS);
      }
    };
    const watcher = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watcher.disconnect();
      inTurn(() => look());
    });
    watcher.observe(holder.current);
    return () => {
      isWanted = false;
      clearTimeout(again);
      watcher.disconnect();
    };
  }, [key]);
  return (
    <span class="spark" ref={holder}>
      {values ? (
        <svg viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={sparkWords(values)}>
          <path d={sparkPath(values, 100, 24)} />
        </svg>
      ) : null}
    </span>
  );
}
