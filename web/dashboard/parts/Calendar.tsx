// A year with its months: days with captures are buttons, all others are only numbers. Arrow keys go from day to day.
import { useRef } from "preact/hooks";
import { type Counts, type Day, dayAfterKey, dayWords, type Month, monthsOf, WEEKDAYS } from "../calendar.ts";
import { counted } from "../words.ts";

export interface CalendarProps {
  year: number;
  counts: Counts;
  chosen: string;
  choose: (day: string) => void;
}

export function Calendar({ year, counts, chosen, choose }: CalendarProps) {
  const whole = useRef<HTMLDivElement>(null);
  const first = Object.keys(counts).sort()[0] ?? "";
  // One day is reached by Tab, and the others from there.
  const entry = counts[chosen] ? chosen : first;
  const onKey = (event: KeyboardEvent) => {
    const from = event.target instanceof HTMLElement ? event.target.dataset.day : undefined;
    const to = from ? dayAfterKey(event.key, from, counts) : null;
    if (!to) return;
    event.preventDefault();
    whole.current?.querySelector<HTMLElement>(`[data-day="${to}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons inside, heard in one place.
    <div class="calendar" ref={whole} onKeyDown={onKey}>
      {monthsOf(year, counts).map((month) => (
        <MonthTable key={month.month} month={month} entry={entry} chosen={chosen} choose={choose} />
      ))}
    </div>
  );
}

interface MonthProps {
  month: Month;
  entry: string;
  chosen: string;
  choose: (day: string) => void;
}

function MonthTable({ month, entry, chosen, choose }: MonthProps) {
  const places: (Day | null)[] = [...Array<null>(month.before).fill(null), ...month.days];
  const weeks = Array.from({ length: Math.ceil(places.length / 7) }, (_, at) =>
    places.slice(at * 7, at * 7 + 7),
  );
  return (
    <table class={month.count ? "month" : "month none"}>
      <caption>{month.name}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((name) => (
            <th key={name} scope="col" abbr={name}>
              {name.slice(0, 2)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((day) => day)?.date}>
            {week.map((day, at) => (
              <td key={day?.date ?? WEEKDAYS[at]}>
                {day?.count ? (
                  <button
                    type="button"
                    data-day={day.date}
                    tabIndex={day.date === entry ? 0 : -1}
                    aria-pressed={day.date === chosen}
                    aria-label={`${dayWords(day.date)}: ${counted(day.count, "capture")}`}
                    onClick={() => choose(day.date)}
                  >
                    {day.day}
                  </button>
                ) : (
                  (day?.day ?? "")
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
