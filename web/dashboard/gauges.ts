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
