// What lists leave out or are asked about: how much of the day is no person's, and how many cases wait.
import { addressOf } from "../address.ts";
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { reasonWords } from "../reasons.ts";
import type { Screening } from "../shapes.ts";
import { counted, LABELS, percent, whole } from "../words.ts";
import { Link } from "./Link.tsx";

export function HeldBack() {
  const { brand } = useStanding();
  // Strangers at a public brand read its lists, and no more.
  const mayRead = brand.role !== undefined || facts.brands.some((one) => one.brand === brand.brand);
  const asked = useAsked<Screening>(
    mayRead ? "/v1/screening" : null,
    { brand: brand.brand, period: "day", limit: 1 },
    60_000,
  );
  const found = asked.value;
  if (!found?.hits) return null;
  const others = found.labels.filter((one) => one.label !== "person" && one.hits > 0);
  const [why] = Object.entries(found.reasons);
  return (
    <aside class="card side" aria-labelledby="held-back">
      <div class="card-head">
        <h2 id="held-back">{found.suspectedAreShown ? "Not only people" : "Held back"}</h2>
        <Link to={addressOf("/screening", brand.brand)}>Why</Link>
      </div>
      {found.waiting && facts.verdicts ? (
        <p>
          <Link to={addressOf("/screening", brand.brand)}>
            {counted(found.waiting, "case")} {found.waiting === 1 ? "waits" : "wait"} for a decision
          </Link>
          {mayDo(brand.role, "editor") ? "" : " of an editor"}
        </p>
      ) : null}
      {others.length ? (
        <ul class="brief">
          {others.map((one) => (
            <li key={one.label}>
              <span>{LABELS[one.label] ?? one.label}</span>
              <span class="number">
                {whole(one.hits)} <span class="about">{percent(one.share)}</span>
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="about">All hits of the last day are people’s, as far as anybody can tell.</p>
      )}
      {why && others.length ? <p class="about">Mostly: {reasonWords(why[0])}.</p> : null}
    </aside>
  );
}
