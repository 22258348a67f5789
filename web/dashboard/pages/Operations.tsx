// Operations: whether the instance is well, as its gauges tell it to addresses that may read them.
import { useEffect, useRef, useState } from "preact/hooks";
import { Gone, Problem, text } from "../api.ts";
import { patience } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts } from "../facts.ts";
import {
  bytesOfMillion,
  type Fullness,
  filesOf,
  fullnessOf,
  gaugeOf,
  gaugesOf,
  type Reading,
  ratesOf,
  type Sample,
  samplesOf,
} from "../gauges.ts";
import { Chart } from "../parts/Chart.tsx";
import { Figure } from "../parts/Figure.tsx";
import { PlanCard } from "../parts/PlanCard.tsx";
import { Empty, Loading } from "../parts/states.tsx";
import { ago, bytes, percent, short, whole } from "../words.ts";

const EVERY_MS = 3_000;
const KEPT = 200; // ten minutes

export function OperationsPage() {
  const { readings, isForbidden } = useReadings();
  const last = readings.at(-1);
  return (
    <>
      <div class="head">
        <h1>Operations</h1>
      </div>
      {isForbidden ? (
        <section class="card">
          {facts.live ? (
            <Empty title="The gauges are for owners of the instance">
              <p>
                Owners read them wherever they are signed in, and programs in the networks of the setting{" "}
                <code>http_metrics_networks</code>. <a href="/readyz">Readiness</a> is told to everybody.
              </p>
            </Empty>
          ) : (
            <Empty title="This instance runs on AWS">
              <p>
                Lag, throughput, refused writes and capacity are in CloudWatch, on the dashboard that the
                stack has made; what it costs is in your AWS bill.
              </p>
            </Empty>
          )}
        </section>
      ) : last ? (
        <Gauges last={last} readings={readings} />
      ) : (
        <Loading what="Reading the gauges" />
      )}
    </>
  );
}

function useReadings(): { readings: Reading[]; isForbidden: boolean } {
  const [readings, setReadings] = useState<Reading[]>([]);
  const [isForbidden, setIsForbidden] = useState(false);
  const failures = useRef(0);
  useEffect(() => {
    let timer = 0;
    let isOver = false;
    const look = async () => {
      let waitMs = EVERY_MS;
      try {
        const samples = document.hidden ? null : samplesOf(await text("/metrics"));
        failures.current = 0;
        if (isOver) return;
        if (samples) setReadings((before) => [...before, { at: Date.now() / 1000, samples }].slice(-KEPT));
      } catch (error) {
        if (isOver) return;
        if (error instanceof Problem && [401, 403, 404].includes(error.status)) {
          setIsForbidden(true);
          return;
        }
        if (!(error instanceof Gone) && !(error instanceof Problem)) throw error;
        failures.current += 1;
        waitMs = patience(failures.current, EVERY_MS, Math.random());
      }
      timer = setTimeout(() => void look(), waitMs) as unknown as number;
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return { readings, isForbidden };
}

function Gauges({ last, readings }: { last: Reading; readings: readonly Reading[] }) {
  const { times } = useStanding();
  const { samples } = last;
  const lag = Math.max(0, ...gaugesOf(samples, "footfall_lag_seconds", "shard").map(([, value]) => value));
  const behind = gaugesOf(samples, "footfall_lag_records", "shard").reduce(
    (sum, [, value]) => sum + value,
    0,
  );
  const hits = ratesOf(readings, "footfall_hits_accepted_total");
  const requests = ratesOf(readings, "footfall_requests_total");
  const started = gaugeOf(samples, "footfall_start_time_seconds");
  const isReady = gaugeOf(samples, "footfall_ready") === 1;
  return (
    <>
      <div class="figures">
        <Figure
          name="State"
          value={isReady ? "Ready" : "Not ready"}
          says={started ? `started ${ago(last.at - started)}` : ""}
        />
        <Figure name="Lag" value={`${lag.toFixed(1)} s`} says={`${whole(behind)} records to count`} />
        <Figure
          name="Hits a second"
          value={rate(hits.at(-1))}
          says={`${short(gaugeOf(samples, "footfall_hits_accepted_total") ?? 0)} since the start`}
        />
        <Figure
          name="Requests a second"
          value={rate(requests.at(-1))}
          says={`${whole(gaugeOf(samples, "footfall_connections") ?? 0)} connections`}
        />
        <Figure
          name="Disk free"
          value={bytes(gaugeOf(samples, "footfall_disk_free_bytes") ?? 0)}
          says="that footfall may write"
        />
        <Figure
          name="Restarts"
          value={whole(
            gaugesOf(samples, "footfall_child_restarts_total", "process").reduce((sum, [, v]) => sum + v, 0),
          )}
          says="of processes"
        />
      </div>
      {readings.length > 2 ? (
        <section class="card">
          <Chart
            title="Hits and requests a second, since this page was opened"
            says={`hits ${rate(hits.at(-1))}, requests ${rate(requests.at(-1))} now`}
            times={readings.map((reading) => reading.at)}
            lines={[
              { name: "Hits", look: "main", values: hits.map(rounded) },
              { name: "Requests", look: "second", values: requests.map(rounded) },
            ]}
            zone={times.zone}
            timeName={(seconds) => times.clockOf(new Date(seconds * 1000).toISOString())}
          />
        </section>
      ) : null}
      <Capacity samples={samples} />
      <PlanCard />
      <div class="columns even">
        <Table
          title="Files"
          heads={["File", "Size"]}
          rows={filesOf(gaugesOf(samples, "footfall_disk_bytes", "file")).map(([name, size]) => [
            name,
            bytes(size),
          ])}
        />
        <Table
          title="Shards"
          heads={["Shard", "Lag", "Last write"]}
          rows={gaugesOf(samples, "footfall_lag_seconds", "shard").map(([shard, value]) => [
            shard,
            `${value.toFixed(1)} s`,
            writtenAgo(samples, shard),
          ])}
        />
      </div>
    </>
  );
}

function Capacity({ samples }: { samples: readonly Sample[] }) {
  const rows = fullnessOf(samples);
  const million = bytesOfMillion(samples);
  if (!rows.length) return null;
  return (
    <section class="card" aria-labelledby="capacity-title">
      <h2 id="capacity-title">How full it is</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="wide-only">
              Full
            </th>
            <th scope="col" class="number">
              Share
            </th>
            <th scope="col" class="number">
              Now
            </th>
            <th scope="col" class="number">
              At most
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {row.name} <span class="about">{row.says}</span>
              </th>
              <td class="wide-only">
                <progress value={row.now} max={row.most} aria-hidden="true" />
              </td>
              <td class={row.now / row.most > 0.8 ? "number bad" : "number"}>
                {row.now / row.most > 0.8 ? "! " : ""}
                {percent(row.now / row.most)}
              </td>
              <td class="number">{amount(row, row.now)}</td>
              <td class="number">{amount(row, row.most)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="about">
        It costs what this machine costs: nothing is paid by the hit.
        {million ? ` A million raw hits take some ${bytes(million)} of disk.` : ""}
      </p>
    </section>
  );
}

function amount({ unit }: Fullness, value: number): string {
  return unit === "bytes" ? bytes(value) : whole(value);
}

function writtenAgo(samples: readonly Sample[], shard: string): string {
  const age = gaugesOf(samples, "footfall_flush_age_seconds", "shard").find(([name]) => name === shard)?.[1];
  return age === undefined ? "never" : ago(age);
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : whole(Math.round(value));
}

function Table({ title, heads, rows }: { title: string; heads: string[]; rows: string[][] }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            {heads.map((head, place) => (
              <th scope="col" key={head} class={place ? "number" : ""}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[0]}>
              {row.map((cell, place) =>
                place ? (
                  <td class="number" key={heads[place]}>
                    {cell}
                  </td>
                ) : (
                  <th scope="row" key={heads[place]}>
                    {cell}
                  </th>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
