// One metric: what it is, its numbers, where it comes from, its versions, and for editors how it is changed.
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf, metricAddress, metricOf, place } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useCell } from "../cell.ts";
import { subject, useStanding } from "../context.ts";
import { byWords } from "../deeds.ts";
import { mayDo } from "../facts.ts";
import type { Lineage } from "../lineage.ts";
import { definitionWords, kindWords, type Metric, unitWords } from "../metrics.ts";
import { Contents } from "../parts/Contents.tsx";
import { Folded } from "../parts/Folded.tsx";
import { Formula } from "../parts/Formula.tsx";
import { LineageTree } from "../parts/LineageTree.tsx";
import { Link } from "../parts/Link.tsx";
import { MetricForm } from "../parts/MetricForm.tsx";
import { NumbersPart } from "../parts/Numbers.tsx";
import { Removing } from "../parts/Removing.tsx";
import { Retiring } from "../parts/Retiring.tsx";
import { Shown } from "../parts/states.tsx";
import { Versions } from "../parts/Versions.tsx";

export function MetricPage() {
  const { brand } = useStanding();
  const { path } = useCell(place);
  const name = metricOf(path);
  const at = `/v1/metrics/${encodeURIComponent(name)}`;
  const asked = useAsked<Metric>(at, { brand: brand.brand });
  const lineage = useAsked<Lineage>(asked.value ? `${at}/lineage` : null, { brand: brand.brand });
  const page = useRef<HTMLDivElement>(null);
  const title = asked.value?.title || name;
  useEffect(() => {
    subject.set(title);
    return () => subject.set("");
  }, [title]);
  const renew = () => {
    asked.again();
    lineage.again();
  };
  return (
    <div class="parts" ref={page}>
      <div class="head">
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <Link to={addressOf("/catalogue", brand.brand)}>All metrics</Link>
      </div>
      <Contents of={page} />
      <Shown asked={asked} what="Reading the metric">
        {(metric) => (
          <>
            <Deprecated metric={metric} />
            <Definition metric={metric} />
            <NumbersPart
              key={`numbers-${metric.version}`}
              metric={metric}
              dimensions={lineage.problem ? [] : lineage.value?.dimensions}
            />
            <LineageTree asked={lineage} />
            <Versions key={`versions-${metric.version}`} metric={metric} />
            {mayDo(brand.role, "editor") ? <Changes metric={metric} renew={renew} /> : null}
          </>
        )}
      </Shown>
    </div>
  );
}

function Changes({ metric, renew }: { metric: Metric; renew: () => void }) {
  // The form begins anew with each version, so that what became of the last one is told outside of it.
  const [said, setSaid] = useState("");
  const done = ({ version }: Metric) => {
    setSaid(version === metric.version ? "Nothing was changed." : `Saved as version ${version}.`);
    renew();
  };
  return (
    <>
      <section class="card" aria-labelledby="change-title">
        <h2 id="change-title">Change it</h2>
        <Folded words="Write another version">
          <p class="about">Every change is a new version; none is overwritten.</p>
          <MetricForm
            key={metric.version}
            draft={metric}
            based={metric.version}
            begun={() => setSaid("")}
            done={done}
          />
        </Folded>
        <p class="said" role="status">
          {said}
        </p>
      </section>
      <Retiring metric={metric} done={renew} />
      <Removing metric={metric} />
    </>
  );
}

function Deprecated({ metric }: { metric: Metric }) {
  const { brand, times } = useStanding();
  if (!metric.deprecatedAt) return null;
  return (
    <p class="warning" role="note">
      <strong>Deprecated</strong> by {byWords(metric.deprecatedBy ?? "")}, {times.dateOf(metric.deprecatedAt)}
      : {ended(metric.deprecatedReason ?? "")}{" "}
      {metric.replacement ? (
        <>
          Use <Link to={metricAddress(metric.replacement, brand.brand)}>{metric.replacement}</Link> instead.
        </>
      ) : null}
    </p>
  );
}

// A reason as a sentence, however somebody wrote it.
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function Definition({ metric }: { metric: Metric }) {
  const { times } = useStanding();
  const rows: [string, string][] = [
    ["Name", metric.title ? metric.name : ""],
    ["Unit", unitWords(metric.unit)],
    ["Kind", kindWords(metric.valueType)],
    ["Owner", metric.owner || "nobody yet"],
    ["Since", `${times.dateOf(metric.createdAt)} by ${byWords(metric.createdBy)}`],
    [
      "Version",
      `${metric.version}, ${times.dateOf(metric.updatedAt)} by ${byWords(metric.updatedBy)}${metric.reason ? `: ${metric.reason}` : ""}`,
    ],
  ];
  return (
    <section class="card metric" aria-labelledby="definition-title">
      <h2 id="definition-title">What it is</h2>
      {metric.description ? <p class="description">{metric.description}</p> : null}
      <p>{definitionWords(metric).join(" ")}</p>
      {metric.hybridFormula ? <Formula text={metric.hybridFormula} /> : null}
      <dl class="labels-list">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
