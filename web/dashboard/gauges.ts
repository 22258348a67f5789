// Reads what Prometheus reads: names, labels and values, line by line. Pure.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Reading {
  at: number; // seconds
  samples: Sample[];
}

const LINE = /^([a-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/i;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function samplesOf(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const found = line.startsWith("#") ? null : LINE.exec(line);
    if (!found?.[1]) continue;
    const labels: Record<string, string> = {};
    for (const [, name = "", value = ""] of (found[2] ?? "").matchAll(LABEL)) {
      labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    }
    samples.push({ name: found[1], labels, value: Number(found[3]) });
  }
  return samples;
}

export function gaugeOf(samples: readonly Sample[], name: string): number | undefined {
  return samples.find((one) => one.name === name)?.value;
}

// What SQLite keeps beside a file belongs to it; the largest first.
export function filesOf(files: readonly (readonly [string, number])[]): [string, number][] {
  const sizes = new Map<string, number>();
  for (const [name, size] of files) {
    const whole = name.replace(/-(wal|shm)$/, "");
    sizes.set(whole, (sizes.get(whole) ?? 0) + size);
  }
  return [...sizes].sort((a, b) => b[1] - a[1]);
}

export function gaugesOf(samples: readonly Sample[], name: string, label: string): [string, number][] {
  return samples.filter((one) => one.name === name).map((one) => [one.labels[label] ?? "", one.value]);
}

// What a total grew by in each second between two readings.
export function ratesOf(readings: readonly Reading[], name: string): (number | null)[] {
  return readings.map((reading, place) => {
    const before = readings[place - 1];
    const [now, then] = [gaugeOf(reading.samples, name), before && gaugeOf(before.samples, name)];
    if (!before || now === undefined || then === undefined || now < then) return null;
    return (now - then) / Math.max(0.001, reading.at - before.at);
  });
}

export interface Fullness {
  name: string;
  now: number;
  most: number;
  unit: "bytes" | "count";
  says: string;
}

// What there is beside what there may be; what the server does not tell is left out.
export function fullnessOf(samples: readonly Sample[]): Fullness[] {
  const limits = new Map(gaugesOf(samples, "footfall_limit", "of"));
  const memory = gaugesOf(samples, "footfall_memory_bytes", "process");
  const files = new Map(filesOf(gaugesOf(samples, "footfall_disk_bytes", "file")));
  const [size, free] = [
    gaugeOf(samples, "footfall_disk_size_bytes"),
    gaugeOf(samples, "footfall_disk_free_bytes"),
  ];
  const rows: [string, number | undefined, number | undefined, Fullness["unit"], string][] = [
    [
      "Disk",
      size !== undefined && free !== undefined ? size - free : undefined,
      size,
      "bytes",
      "of the whole disk, by everybody",
    ],
    ["Raw hits", files.get("stream.db"), limits.get("raw_bytes"), "bytes", "when full, the oldest go"],
    [
      "Memory",
      memory.length ? memory.reduce((sum, [, one]) => sum + one, 0) : undefined,
      gaugeOf(samples, "footfall_memory_limit_bytes"),
      "bytes",
      "of the machine, by footfall",
    ],
    [
      "Rows of lists",
      gaugeOf(samples, "footfall_rows"),
      limits.get("rows"),
      "count",
      "when full, brands nobody asks for go",
    ],
    [
      "Ready answers",
      gaugeOf(samples, "footfall_answers_bytes"),
      limits.get("answers_bytes"),
      "bytes",
      "when full, those least asked for go",
    ],
    [
      "Waiting for the disk",
      gaugeOf(samples, "footfall_pending_bytes"),
      limits.get("pending_bytes"),
      "bytes",
      "when full, senders have to wait",
    ],
    [
      "Connections",
      gaugeOf(samples, "footfall_connections"),
      limits.get("connections"),
      "count",
      "when full, new ones are refused",
    ],
  ];
  return rows.flatMap(([name, now, most, unit, says]) =>
    now === undefined || !most ? [] : [{ name, now, most, unit, says }],
  );
}

// Disk that a million hits take, as long as none of them was forgotten yet.
export function bytesOfMillion(samples: readonly Sample[]): number | undefined {
  const hits = gaugesOf(samples, "footfall_brand_accepted_total", "brand").reduce(
    (sum, [, one]) => sum + one,
    0,
  );
  const raw = new Map(filesOf(gaugesOf(samples, "footfall_disk_bytes", "file"))).get("stream.db");
  if (gaugeOf(samples, "footfall_raw_since_seconds") !== 0 || hits < 10_000 || raw === undefined)
    return undefined;
  return (raw / hits) * 1e6;
}
