// All captures of one address: the latest, a calendar of days that have some, and the moments of a day.
import { useEffect } from "preact/hooks";
import { addressOf, changed, go, safeAddress, useParameters } from "../address.ts";
import { useAsked } from "../asking.ts";
import { type Counts, dayIn, dayWords, yearOf, yearsOf } from "../calendar.ts";
import { type Capture, captureAddress, fileOf, type Shelf, shortUrl, titleOf } from "../captures.ts";
import { subject, useStanding } from "../context.ts";
import { Calendar } from "../parts/Calendar.tsx";
import { Marks } from "../parts/Captures.tsx";
import { Link } from "../parts/Link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { ARCHIVE } from "../routes.ts";
import { counted, whole } from "../words.ts";

const MOMENTS_MAX = 200;

interface Told {
  year: number;
  days: Counts;
  first: string | null;
  last: string | null;
}

export function ArchivedPage() {
  const { brand } = useStanding();
  const parameters = useParameters();
  const url = parameters.get("url") ?? "";
  const wanted = yearOf(`${parameters.get("year") ?? ""}-`);
  const asked = useAsked<Told>(url ? "/v1/archive/calendar" : null, {
    brand: brand.brand,
    url,
    year: wanted ?? yearOf(dayIn(parameters.get("day"))) ?? undefined,
  });
  useEffect(() => {
    subject.set(shortUrl(url, 60));
    return () => subject.set("");
  }, [url]);
  const set = (changes: Record<string, string>) =>
    go(`${ARCHIVE}/page?${changed(parameters, { brand: brand.brand, ...changes })}`, { replaces: true });
  // Of a page that was last kept years ago, that year is shown and not an empty one.
  const last = yearOf(asked.value?.last);
  useEffect(() => {
    if (!parameters.has("year") && !parameters.has("day") && last && last !== asked.value?.year)
      set({ year: String(last) });
  }, [asked.value]);
  return (
    <>
      <div class="head">
        <h1>
          <bdi>{shortUrl(url) || "Captures of a page"}</bdi>
        </h1>
        <Link to={addressOf(ARCHIVE, brand.brand)}>Archive</Link>
      </div>
      {url ? (
        <Shown asked={asked} what="Looking what is kept of it">
          {(told) =>
            told.last || Object.keys(told.days).length ? (
              <>
                <Latest url={url} />
                <Days told={told} day={dayIn(parameters.get("day"))} set={set} />
                <Moments url={url} day={dayIn(parameters.get("day"))} />
              </>
            ) : (
              <Empty title="Nothing is kept of this page">
                <p>
                  <Link to={addressOf(ARCHIVE, brand.brand)}>Have it kept now</Link>
                </p>
              </Empty>
            )
          }
        </Shown>
      ) : (
        <Empty title="No address is given">
          <p>
            <Link to={addressOf(ARCHIVE, brand.brand)}>Type one in the archive</Link>
          </p>
        </Empty>
      )}
    </>
  );
}

function Latest({ url }: { url: string }) {
  const { brand, times } = useStanding();
  const asked = useAsked<Capture>("/v1/archive/latest", { brand: brand.brand, url });
  const one = asked.value;
  if (!one) return null;
  const link = safeAddress(one.finalUrl);
  return (
    <section class="card latest" aria-labelledby="latest-title">
      <span class="thumbnail">
        <img src={fileOf(one.id, "thumbnail", brand.brand)} alt="" />
      </span>
      <div class="what">
        <h2 id="latest-title">The latest capture</h2>
        <p>
          <Link to={captureAddress(one.id, brand.brand)} class="asset">
            <bdi>{titleOf(one)}</bdi>
          </Link>
          <Marks of={one} />
        </p>
        <p class="about">
          <time dateTime={one.at}>{times.dateOf(one.at)}</time> · {whole(one.heightPx)} px tall
        </p>
        <p class="acts">
          <Link to={captureAddress(one.id, brand.brand)} class="button">
            Open it
          </Link>
          {link ? (
            <a href={link} rel="noreferrer" target="_blank">
              The page today
            </a>
          ) : null}
        </p>
      </div>
    </section>
  );
}

interface DaysProps {
  told: Told;
  day: string;
  set: (changes: Record<string, string>) => void;
}

function Days({ told, day, set }: DaysProps) {
  const { brand } = useStanding();
  const years = yearsOf(told.first, told.last);
  const sum = Object.values(told.days).reduce((all, count) => all + count, 0);
  return (
    <section class="card" aria-labelledby="days-title">
      <div class="card-head">
        <h2 id="days-title">Days with captures</h2>
        <span class="acts">
          <span class="about" role="status">
            {sum ? `${counted(sum, "capture")} in ${told.year}` : `none in ${told.year}`}
          </span>
          {years.length > 1 ? (
            <label class="field inline">
              <span>Year</span>
              <select
                value={told.year}
                onChange={(event) => set({ year: event.currentTarget.value, day: "" })}
              >
                {years.map((year) => (
                  <option key={year} value={year}>
                    {year}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
        </span>
      </div>
      <Calendar year={told.year} counts={told.days} chosen={day} choose={(chosen) => set({ day: chosen })} />
      {brand.zone === "UTC" ? null : (
        <p class="about">Days are those of UTC; times are those of {brand.zone}.</p>
      )}
    </section>
  );
}

function Moments({ url, day }: { url: string; day: string }) {
  const { brand, times } = useStanding();
  const asked = useAsked<Shelf>(day ? "/v1/archive/captures" : null, {
    brand: brand.brand,
    url,
    day,
    limit: MOMENTS_MAX,
  });
  if (!day) return <p class="about">Choose a day to see its moments.</p>;
  return (
    <section class="card" aria-labelledby="moments-title">
      <h2 id="moments-title">{dayWords(day)}</h2>
      <Shown asked={asked} what="Reading the day">
        {({ captures, after }) => (
          <>
            <ul class="moments">
              {captures.map((one) => (
                <li key={one.id}>
                  <Link to={captureAddress(one.id, brand.brand)} class="button">
                    <time dateTime={one.at}>{times.exactlyOf(one.at)}</time>
                  </Link>
                  <span class="what">
                    <bdi>{titleOf(one)}</bdi> <Marks of={one} />
                  </span>
                </li>
              ))}
            </ul>
            {captures.length ? null : <p class="about">Nothing of this day is kept any more.</p>}
            {after ? (
              <p class="about">These are the newest {counted(captures.length, "capture")} of the day.</p>
            ) : null}
          </>
        )}
      </Shown>
    </section>
  );
}
