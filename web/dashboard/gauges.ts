// Reads what Prometheus reads: names, labels and values, line by line. Pure.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
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

export function valueOf(samples: readonly Sample[], name: string): number | undefined {
  return samples.find((one) => one.name === name)?.value;
}

export function valuesOf(samples: readonly Sample[], name: string, label: string): [string, number][] {
  return samples.filter((one) => one.name === name).map((one) => [one.labels[label] ?? "", one.value]);
}
