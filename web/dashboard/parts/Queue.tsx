// The review queue: what judging found, chosen by state, kind and cause, decided on one by one or many at once.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, send } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { mayDo } from "../facts.ts";
import { CAUSE_NAMES, causeWords } from "../reasons.ts";
import type { Decided, Decision, Verdicts } from "../shapes.ts";
import { changedWords } from "../verdicts.ts";
import { counted, whole } from "../words.ts";
import { Acting } from "./Acting.tsx";
import { Empty, Shown } from "./states.tsx";
import { VerdictCard } from "./VerdictCard.tsx";

const VERDICTS = "/v1/screening/verdicts";
const AT_ONCE = 100; // as many as the server decides on in one request
const SHOWN = 25;
const STATES: Record<string, string> = {
  held: "Waiting",
  found: "Noticed, still counted",
  settled: "Settled",
};
const NOTHING: Record<string, string> = {
  held: "Nothing waits for a decision",
  found: "Nothing else stood out",
  settled: "Nothing was decided yet",
};

interface Sought {
  state: string;
  kind: string;
  cause: string;
}

export function Queue({ changed }: { changed: () => void }) {
  const { brand, times } = useStanding();
  const [sought, setSought] = useState<Sought>({ state: "held", kind: "", cause: "" });
  const [shown, setShown] = useState(SHOWN);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const told = useRef<HTMLParagraphElement>(null);
  const query = { brand: brand.brand };
  const asked = useAsked<Verdicts>(VERDICTS, { ...query, ...sought, limit: shown }, 10_000);
  useEffect(() => setChosen(new Set()), [sought]);
  // The button that was pressed goes with its case; the keyboard stays where the outcome is told.
  useEffect(() => {
    if (said) told.current?.focus({ preventScroll: true });
  }, [said]);

  const finish = async (decision: Decision, work: () => Promise<Decided[]>) => {
    setIsBusy(true);
    try {
      const items = await work();
      setSaid(changedWords(decision, items, (from, to) => times.spanOf(from, to)));
      setChosen(new Set());
    } catch (error) {
      setSaid(error instanceof Error && error.message ? error.message : "That did not work.");
    } finally {
      setIsBusy(false);
      asked.again();
      changed();
    }
  };
  const decideOn = async (decision: Decision, ids: readonly string[]): Promise<Decided[]> => {
    const items: Decided[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const body = { decision, ids: ids.slice(start, start + AT_ONCE) };
      items.push(...(await send<{ items: Decided[] }>("POST", VERDICTS, body, query)).items);
    }
    return items;
  };
  // Whoever is decided on leaves the queue, so its first page is asked for until nothing of it can be decided on.
  const decideOnAll = async (decision: Decision): Promise<Decided[]> => {
    const items: Decided[] = [];
    for (;;) {
      const page = await get<Verdicts>(VERDICTS, { ...query, ...sought, limit: AT_ONCE });
      if (!page.items.length) return items;
      const came = await decideOn(
        decision,
        page.items.map((one) => one.id),
      );
      items.push(...came);
      if (came.every((one) => one.problem)) return items;
    }
  };
  const mayDecide = mayDo(brand.role, "editor");
  return (
    <section class="card" aria-labelledby="queue-title">
      <div class="card-head">
        <h2 id="queue-title">
          Review queue {asked.value ? <span class="tag">{whole(asked.value.waiting)} waiting</span> : null}
        </h2>
        <QueueFilters sought={sought} set={setSought} />
      </div>
      <p class="balance" role="status" ref={told} tabIndex={-1}>
        {said}
      </p>
      <Shown asked={asked} what="Reading the queue">
        {({ items, after }) =>
          items.length ? (
            <>
              {mayDecide && items.length > 1 ? (
                <Many
                  ids={items.map((one) => one.id)}
                  chosen={chosen}
                  isBusy={isBusy}
                  isAll={sought.state === "held"}
                  choose={setChosen}
                  onChosen={(decision) => void finish(decision, () => decideOn(decision, [...chosen]))}
                  onAll={(decision) => finish(decision, () => decideOnAll(decision))}
                />
              ) : null}
              <ul class="verdicts">
                {items.map((verdict) => (
                  <VerdictCard
                    key={verdict.id}
                    verdict={verdict}
                    isBusy={isBusy}
                    isChosen={chosen.has(verdict.id)}
                    choose={
                      mayDecide && items.length > 1
                        ? (isChosen) => setChosen(withOne(chosen, verdict.id, isChosen))
                        : undefined
                    }
                    decide={
                      mayDecide
                        ? (decision) => void finish(decision, () => decideOn(decision, [verdict.id]))
                        : undefined
                    }
                  />
                ))}
              </ul>
              {after ? (
                <button type="button" onClick={() => setShown(shown + SHOWN)}>
                  Show more
                </button>
              ) : null}
              {mayDecide ? null : <p class="about">Editors and administrators of this brand decide.</p>}
            </>
          ) : (
            <Empty title={NOTHING[sought.state] ?? "Nothing here"}>
              <p>
                What judging finds unlike people’s reading appears here by itself, with what was measured.
              </p>
            </Empty>
          )
        }
      </Shown>
    </section>
  );
}

function QueueFilters({ sought, set }: { sought: Sought; set: (sought: Sought) => void }) {
  return (
    <div class="row tight">
      <fieldset class="periods">
        <legend class="hidden">Which</legend>
        {Object.entries(STATES).map(([state, words]) => (
          <button
            type="button"
            key={state}
            aria-pressed={sought.state === state}
            onClick={() => set({ ...sought, state })}
          >
            {words}
          </button>
        ))}
      </fieldset>
      <select
        aria-label="Kind"
        value={sought.kind}
        onChange={(event) => set({ ...sought, kind: event.currentTarget.value })}
      >
        <option value="">visitors and assets</option>
        <option value="visitor">visitors</option>
        <option value="asset">assets</option>
      </select>
      <select
        aria-label="Cause"
        value={sought.cause}
        onChange={(event) => set({ ...sought, cause: event.currentTarget.value })}
      >
        <option value="">any cause</option>
        {CAUSE_NAMES.map((cause) => (
          <option key={cause} value={cause}>
            {causeWords(cause)}
          </option>
        ))}
      </select>
    </div>
  );
}

interface ManyProps {
  ids: readonly string[];
  chosen: ReadonlySet<string>;
  isBusy: boolean;
  isAll: boolean;
  choose: (chosen: ReadonlySet<string>) => void;
  onChosen: (decision: Decision) => void;
  onAll: (decision: Decision) => Promise<void>;
}

function Many({ ids, chosen, isBusy, isAll, choose, onChosen, onAll }: ManyProps) {
  const isEvery = ids.every((id) => chosen.has(id));
  return (
    <div class="acts many">
      <label class="choice">
        <input
          type="checkbox"
          checked={isEvery}
          onChange={(event) => choose(new Set(event.currentTarget.checked ? ids : []))}
        />
        Choose all shown
      </label>
      {chosen.size ? (
        <>
          <button type="button" disabled={isBusy} onClick={() => onChosen("release")}>
            Release {counted(chosen.size, "case")}
          </button>
          <button type="button" disabled={isBusy} onClick={() => onChosen("confirm")}>
            Confirm {counted(chosen.size, "case")}
          </button>
        </>
      ) : isAll && !isBusy ? (
        <>
          <Acting words="Release all" about="cases of this choice" act={() => onAll("release")} isGrave />
          <Acting words="Confirm all" about="cases of this choice" act={() => onAll("confirm")} isGrave />
        </>
      ) : null}
    </div>
  );
}

function withOne(chosen: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(chosen);
  if (isIn) next.add(id);
  else next.delete(id);
  return next;
}
