// A chart of points over time, with the same in words and as a table for whoever does not see it.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { useCell } from "../cell.ts";
import { openEnd } from "../minutes.ts";
import { looks } from "../theme.ts";
import { knownZone, short, whole } from "../words.ts";

export interface Line {
  name: string;
  values: readonly (number | null)[];
  look: "main" | "second" | "faint";
  soFar?: readonly (number | null)[]; // of the window that is still open, drawn thin to a hollow point
}

export interface ChartProps {
  title: string;
  says: string;
  times: readonly number[]; // seconds since 1970
  lines: readonly Line[];
  zone: string;
  height?: number;
  timeName: (seconds: number) => string;
  measure?: Measure; // of values that are no counts
  all?: readonly Line[]; // what the table has, where that is more than can be told apart when it is drawn
}

// How values are written that may be fractions or less than nothing, and what their scale is.
export interface Measure {
  said: (value: number) => string;
  tick: (value: number) => string;
  range: (low: number | null, high: number | null) => [number, number];
}

const COUNTS: Measure = {
  said: whole,
  tick: (value) => (Number.isInteger(value) ? short(value) : ""),
  range: (_, high) => [0, Math.max(4, (high ?? 0) * 1.08)],
};

const ROWS_MAX = 200; // of the table: nobody reads more of them.

export function Chart(props: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const newest = useRef(props);
  newest.current = props;
  const drawing = useCell(looks);
  const shape = `${props.lines.map((line) => line.name + line.look + (line.soFar ? "…" : "")).join()}|${props.zone}|${props.height}|${drawing}`;

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const made = new uPlot(optionsOf(props, element, newest), dataOf(props), element);
    plot.current = made;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth) made.setSize({ width: element.clientWidth, height: props.height ?? 220 });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(dataOf(props));
  }, [props.times, props.lines]);

  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{props.title}</span>
        <ul class="keys" aria-hidden="true">
          {props.lines.map((line) => (
            <li key={line.name} class={`key ${line.look}`}>
              {line.name}
            </li>
          ))}
          {props.lines.some((line) => line.soFar && openEnd(line.soFar).length) ? (
            <li class="key so-far">so far</li>
          ) : null}
        </ul>
      </figcaption>
      <div class="plot" ref={holder} role="img" aria-label={`${props.title}: ${props.says}`} />
      <details class="as-table">
        <summary>The same as a table</summary>
        <Rows {...props} />
      </details>
    </figure>
  );
}

function Rows({ title, times, timeName, measure = COUNTS, ...props }: ChartProps) {
  const lines = props.all ?? props.lines;
  const shown = times
    .map((_, place) => place)
    .slice(-ROWS_MAX)
    .reverse();
  return (
    <section class="scroll" tabIndex={0} aria-label={`${title} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map((line) => (
              <th scope="col" class="number" key={line.name}>
                {line.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((place) => (
            <tr key={times[place]}>
              <th scope="row">{timeName(times[place] ?? 0)}</th>
              {lines.map((line) => {
                return (
                  <td class="number" key={line.name}>
                    {said(line.values[place], line.soFar?.[place], measure)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

// A number, or what there is of a window that is still open.
function said(value: number | null | undefined, soFar: number | null | undefined, measure: Measure): string {
  if (value !== null && value !== undefined) return measure.said(value);
  return soFar === null || soFar === undefined ? "–" : `${measure.said(soFar)} so far`;
}

// The lines, then the open ends of those that have one.
function dataOf({ times, lines }: ChartProps): uPlot.AlignedData {
  const ends = lines.flatMap((line) => (line.soFar ? [line.soFar] : []));
  return [times, ...lines.map((line) => line.values), ...ends] as uPlot.AlignedData;
}

function colour(element: HTMLElement, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim() || "currentColor";
}

function optionsOf(props: ChartProps, element: HTMLElement, newest: { current: ChartProps }): uPlot.Options {
  const probe = (name: string) => {
    const mark = document.createElement("span");
    mark.className = `probe ${name}`;
    element.append(mark);
    const found = getComputedStyle(mark).color;
    mark.remove();
    return found;
  };
  const [ink, grid, main, faint, fill, paper] = ["ink", "grid", "main", "faint", "fill", "paper"].map(
    probe,
  ) as [string, string, string, string, string, string];
  const font = `12px ${colour(element, "--font")}`;
  const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  const zone = knownZone(props.zone);
  const measure = props.measure ?? COUNTS;
  return {
    width: element.clientWidth || 600,
    height: props.height ?? 220,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    padding: [8, 18, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    scales: { x: { time: true }, y: { range: (_, low, high) => measure.range(low, high) } },
    axes: [
      { ...axis, grid: { show: false }, size: 30, values: clockValues(zone) },
      {
        ...axis,
        size: 48,
        values: (_, values) => values.map(measure.tick),
      },
    ],
    series: [
      {},
      ...props.lines.map((line): uPlot.Series => {
        if (line.look === "main") return { label: line.name, stroke: main, width: 2, fill, points: LONE };
        if (line.look === "second") {
          return { label: line.name, stroke: ink, width: 1.5, dash: [5, 4], points: LONE };
        }
        return { label: line.name, stroke: faint, width: 1.5, dash: [2, 3], points: LONE };
      }),
      ...props.lines
        .filter((line) => line.soFar)
        .map((line): uPlot.Series => {
          const stroke = line.look === "main" ? main : line.look === "second" ? ink : faint;
          // Dots are the lines of other times; an end that is open is told by its shape.
          const points = { show: true, size: 9, width: 2, stroke, fill: paper, filter: atOpenEnd };
          return { label: `${line.name} so far`, stroke, width: 1, points };
        }),
    ],
    plugins: [reading(newest)],
  };
}

// A value between two that are missing has no line, and would not be seen.
const LONE: uPlot.Series.Points = {
  show: true,
  size: 6,
  filter: (self, series) => {
    const values = self.data[series] ?? [];
    const isMissing = (place: number) => (values[place] ?? null) === null;
    const found: number[] = [];
    for (let place = 0; place < values.length; place++)
      if (!isMissing(place) && isMissing(place - 1) && isMissing(place + 1)) found.push(place);
    return found;
  },
};

const atOpenEnd: uPlot.Series.Points.Filter = (self, series) => openEnd(Array.from(self.data[series] ?? []));

// 24 hours in the brand's zone, and the day where the marks are days.
function clockValues(zone: string): uPlot.Axis.DynamicValues {
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "short" });
  const fine = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "medium" });
  return (_, splits, _axis, _space, step) =>
    splits.map((seconds) => {
      if (step < 60) return fine.format(seconds * 1000);
      const text = clock.format(seconds * 1000);
      return step >= 86_400 || text === "00:00" ? day.format(seconds * 1000) : text;
    });
}

// What is under the pointer, in words, in the figure's own corner.
function reading(newest: { current: ChartProps }): uPlot.Plugin {
  let label: HTMLElement | null = null;
  return {
    hooks: {
      init: (self: uPlot) => {
        label = document.createElement("div");
        label.className = "reading";
        label.hidden = true;
        self.over.append(label);
      },
      setCursor: (self: uPlot) => {
        if (!label) return;
        const place = self.cursor.idx;
        label.hidden = place === null || place === undefined;
        if (place === null || place === undefined) return;
        const props = newest.current; // The same lines may be of other periods by now.
        let end = props.lines.length;
        const parts = props.lines.map((line, number) => {
          if (line.soFar) end += 1;
          const open = line.soFar && self.data[end]?.[place];
          return `${line.name} ${said(self.data[number + 1]?.[place], open, props.measure ?? COUNTS)}`;
        });
        label.textContent = `${props.timeName(self.data[0][place] ?? 0)}: ${parts.join(", ")}`;
      },
    },
  };
}
