// Who did what and when: a brand's own trail, or the instance's.
import { useState } from "preact/hooks";
import { get } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { byWords, type Deed, deedWords } from "../deeds.ts";
import { counted, Times } from "../words.ts";
import { Shown } from "./states.tsx";

const SHOWN = 20;
const DAYS = new Times("UTC"); // Failed sign-ins belong to no brand, and are counted by days of UTC.

interface Page {
  items: Deed[];
  after?: string;
  failedSignIns?: Record<string, number>;
}

export function Trail({ of }: { of: "brand" | "instance" }) {
  const { brand, times } = useStanding();
  const path = of === "brand" ? "/v1/audit" : "/v1/audit/instance";
  const query = of === "brand" ? { brand: brand.brand, limit: SHOWN } : { limit: SHOWN };
  const asked = useAsked<Page>(path, query);
  const [older, setOlder] = useState<Page | null>(null);
  const id = `trail-${of}`;
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{of === "brand" ? "Who did what" : "Who did what in the whole instance"}</h2>
      <Shown asked={asked} what="Reading the trail">
        {(page) => {
          const items = [...page.items, ...(older?.items ?? [])];
          const after = older ? older.after : page.after;
          return items.length ? (
            <>
              <Failed counts={page.failedSignIns ?? {}} />
              <ul class="brief deeds">
                {items.map((one) => (
                  <li key={one.at + one.act + one.subject}>
                    <Told deed={one} />
                    <time class="about" dateTime={one.at}>
                      {times.momentOf(one.at)}
                    </time>
                  </li>
                ))}
              </ul>
              {after ? (
                <button
                  type="button"
                  onClick={() =>
                    void get<Page>(path, { ...query, after }).then((next) =>
                      setOlder({ ...next, items: [...(older?.items ?? []), ...next.items] }),
                    )
                  }
                >
                  Show older
                </button>
              ) : null}
            </>
          ) : (
            <p class="about">Nothing is written down yet.</p>
          );
        }}
      </Shown>
    </section>
  );
}

function Told({ deed }: { deed: Deed }) {
  const { act, subject, more } = deedWords(deed);
  return (
    <span>
      <strong>{byWords(deed.by)}</strong> {act} {subject ? <code>{subject}</code> : null}{" "}
      <span class="about">{more}</span>
    </span>
  );
}

function Failed({ counts }: { counts: Record<string, number> }) {
  const days = Object.entries(counts).sort(([a], [b]) => b.localeCompare(a));
  if (!days.length) return null;
  return (
    <p class="about">
      Sign-ins with a wrong password:{" "}
      {days
        .slice(0, 7)
        .map(([day, count]) => `${counted(count, "time")} on ${DAYS.dayOf(day)}`)
        .join(", ")}
      .
    </p>
  );
}
