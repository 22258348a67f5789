// Defines a metric or changes one; a formula that is refused is marked at its character.
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem, send } from "../api.ts";
import { useStanding } from "../context.ts";
import { type Draft, documentFrom, pointedAt } from "../drafts.ts";
import { type Difference, dimensionsOf, KINDS, type Metric, STYLES, whereLines } from "../metrics.ts";
import { Differences } from "./Differences.tsx";
import { Choice, Field, Form, Input, Lines, useRefusedAt } from "./Form.tsx";

const COUNTS = [
  ["pushed", "what somebody sends"],
  ["hits", "hits that footfall counts"],
  ["visitors", "visitors that footfall counts"],
  ["minutes", "minutes that were watched"],
  ["viewers", "viewers who watched them"],
  ["playbacks", "viewings that began"],
  ["completions", "viewings that were completed"],
  ["follows", "follows that began"],
  ["unfollows", "follows that ended"],
] as const;

interface Meanwhile {
  newest: number;
  differences: Difference[];
}

export interface MetricFormProps {
  draft: Draft;
  based?: number; // the version that is changed; none where a metric is defined
  begun?: () => void; // What was said of the last attempt does not hold any more.
  done: (metric: Metric) => void;
}

export function MetricForm({ draft, based, begun, done }: MetricFormProps) {
  const { brand } = useStanding();
  const [kind, setKind] = useState(draft.valueType ?? "SCALAR");
  const [counts, setCounts] = useState(draft.source?.counts ?? "pushed");
  const [base, setBase] = useState(based);
  const [meanwhile, setMeanwhile] = useState<Meanwhile | null>(null);
  const save = async (values: Record<string, string>) => {
    begun?.();
    const sent = documentFrom(values);
    if ("field" in sent) throw new Problem(400, `${sent.field}: ${sent.reason}`, sent.field);
    const query = { brand: brand.brand };
    const path = `/v1/metrics/${encodeURIComponent(draft.name ?? "")}`;
    try {
      done(
        base === undefined
          ? await send<Metric>("POST", "/v1/metrics", sent.document, query)
          : await send<Metric>("PUT", path, { ...sent.document, version: base }, query),
      );
      setMeanwhile(null);
      return undefined;
    } catch (error) {
      const found = meanwhileIn(error);
      if (found) setMeanwhile(found);
      throw error;
    }
  };
  return (
    <>
      <Form
        label={base === undefined ? "Define a metric" : "Change the metric"}
        button={base === undefined ? "Define" : "Save as a new version"}
        keeps
        send={save}
      >
        {base === undefined ? (
          <Input
            name="name"
            words="Name"
            value={draft.name}
            hint="one line in any script; it is kept for ever"
          />
        ) : null}
        <div class="row">
          <Input name="title" words="Title" value={draft.title} hint="what people call it" isOptional />
          <Input name="owner" words="Owner" value={draft.owner} hint="who answers for it" isOptional />
        </div>
        <Lines name="description" words="Description" rows={2} value={draft.description} isOptional />
        <Picked name="valueType" words="It is" value={kind} set={setKind} options={KINDS} />
        {kind === "HYBRID" ? <Formula value={draft.hybridFormula} /> : null}
        {kind === "SCALAR" ? (
          <Picked name="counts" words="It counts" value={counts} set={setCounts} options={COUNTS} />
        ) : null}
        {kind === "SCALAR" && counts !== "pushed" ? (
          <Lines
            name="where"
            words="Only where"
            rows={2}
            value={whereLines(draft.source?.where ?? {}).join("\n")}
            hint={whereHint(counts)}
            isOptional
          />
        ) : null}
        {kind === "HYBRID" ? null : (
          <Primitive draft={draft} counts={kind === "SCALAR" ? counts : "pushed"} />
        )}
        {kind === "PERCENTILE" ? (
          <Input
            name="aggregationParam"
            words="Which percentile"
            value={String(draft.aggregationParam ?? 95)}
            hint="from 0 to 100"
          />
        ) : (
          <Choice
            name="aggregationStyle"
            words="Of a week or a month counts"
            value={draft.aggregationStyle ?? "SUM"}
            options={STYLES}
          />
        )}
        <Chain draft={draft} />
        <Input name="reason" words="Why" hint="for those who use it" isOptional />
      </Form>
      {meanwhile ? (
        <div class="apart" role="status">
          <p>This is what version {meanwhile.newest} changed:</p>
          <Differences items={meanwhile.differences} />
          <p class="acts">
            <button
              type="button"
              onClick={() => {
                setBase(meanwhile.newest);
                setMeanwhile(null);
              }}
            >
              Keep what I typed, to save it after version {meanwhile.newest}
            </button>
          </p>
        </div>
      ) : null}
    </>
  );
}

function meanwhileIn(error: unknown): Meanwhile | null {
  if (!(error instanceof Problem) || error.status !== 409 || typeof error.more.newest !== "number")
    return null;
  return { newest: error.more.newest, differences: (error.more.differences ?? []) as Difference[] };
}

function whereHint(counts: string): string {
  const known = dimensionsOf(counts);
  const such = known.includes("kind") ? "kind: series" : "section: news";
  return `one value a line, such as ${such}; there are ${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
}

function Primitive({ draft, counts }: { draft: Draft; counts: string }) {
  const such = dimensionsOf(counts).includes("kind") ? "kind, followerKind" : "section, paidType";
  return (
    <div class="row">
      {counts === "pushed" ? (
        <Input
          name="unit"
          words="Unit"
          value={draft.unit}
          hint="such as minutes or EUR/visitors; none: a ratio"
          isOptional
        />
      ) : null}
      <Input
        name="relatedDimensions"
        words="Grouped by"
        value={(draft.relatedDimensions ?? []).join(", ")}
        hint={`such as ${such}`}
        isOptional
      />
    </div>
  );
}

function Chain({ draft }: { draft: Draft }) {
  return (
    <details open={Boolean(draft.chainedMetric)}>
      <summary class="about">Earlier numbers of another metric</summary>
      <div class="row">
        <Input
          name="chainedMetric"
          words="Metric"
          value={draft.chainedMetric}
          hint="whose numbers count before that day"
          isOptional
        />
        <Input
          name="chainCutoffDate"
          words="Before which day"
          value={draft.chainCutoffDate}
          hint="such as 2026-01-31"
          isOptional
        />
      </div>
    </details>
  );
}

interface PickedProps {
  name: string;
  words: string;
  value: string;
  set: (value: string) => void;
  options: readonly (readonly [string, string])[];
}

// A choice that other fields depend on.
function Picked({ name, words, value, set, options }: PickedProps) {
  return (
    <Field
      name={name}
      words={words}
      control={(marks) => (
        <select {...marks} value={value} onChange={(event) => set(event.currentTarget.value)}>
          {options.map(([one, says]) => (
            <option key={one} value={one}>
              {says}
            </option>
          ))}
        </select>
      )}
    />
  );
}

function Formula({ value }: { value: string | undefined }) {
  const refused = useRefusedAt("hybridFormula");
  const input = useRef<HTMLTextAreaElement>(null);
  const pointed = refused ? pointedAt(refused.sent, refused.at) : null;
  useEffect(() => {
    if (pointed) input.current?.setSelectionRange(pointed.place, pointed.place + pointed.here.length);
  }, [refused]);
  return (
    <>
      <Field
        name="hybridFormula"
        words="Formula"
        hint={
          'such as reads / visitors or "Leser/Tag" * 2; there are min, max, coalesce, ratio, abs, round and shift'
        }
        control={(marks) => (
          <textarea
            {...marks}
            ref={input}
            class="formula"
            rows={2}
            spellcheck={false}
            defaultValue={value}
            required
          />
        )}
      />
      {pointed ? (
        <p class="pointed">
          <span class="hidden">Refused at the marked character: </span>
          <code>
            {pointed.before}
            <mark>{pointed.here || "⟨end⟩"}</mark>
            {pointed.after}
          </code>
        </p>
      ) : null}
    </>
  );
}
