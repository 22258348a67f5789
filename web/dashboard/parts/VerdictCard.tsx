// One case of the review queue: what was found, whose hits it means, and what each measurement had to do with it.
import { assetAddress } from "../address.ts";
import { useStanding } from "../context.ts";
import { causeWords } from "../reasons.ts";
import type { Decision, Verdict } from "../shapes.ts";
import { meantWords, measured, notesOf, stateWords } from "../verdicts.ts";
import { aligned } from "../words.ts";
import { Link } from "./Link.tsx";

export interface VerdictCardProps {
  verdict: Verdict;
  isBusy: boolean;
  isChosen: boolean;
  choose?: (isChosen: boolean) => void;
  decide?: (decision: Decision) => void;
}

export function VerdictCard({ verdict, isBusy, isChosen, choose, decide }: VerdictCardProps) {
  const { brand, times } = useStanding();
  const kind = verdict.kind === "asset" ? "Asset" : "Visitor";
  return (
    <li class="verdict">
      <div class="verdict-head">
        {choose ? (
          <input
            type="checkbox"
            checked={isChosen}
            aria-label={`Choose ${kind.toLowerCase()} ${verdict.subject}`}
            onChange={(event) => choose(event.currentTarget.checked)}
          />
        ) : null}
        <strong class="what">
          {kind}{" "}
          {verdict.kind === "asset" ? (
            <Link to={assetAddress(verdict.subject, brand.brand)}>{verdict.subject}</Link>
          ) : (
            <code>{verdict.subject}</code>
          )}
        </strong>
        <span class="tag">{stateWords(verdict.state)}</span>
        <span>{causeWords(verdict.cause)}</span>
      </div>
      <p class="about">
        {times.spanOf(verdict.from, verdict.to)} · {meantWords(verdict)}
        {verdict.by === "judge" ? "" : ` · decided by ${verdict.by}, ${times.momentOf(verdict.changedAt)}`}
      </p>
      {verdict.explanation.length ? <Notes verdict={verdict} /> : <p>{verdict.words}</p>}
      {decide ? (
        <p class="acts">
          {verdict.state === "released" ? null : (
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Release: these are readers. ${kind} ${verdict.subject}`}
              onClick={() => decide("release")}
            >
              Release: these are readers
            </button>
          )}
          {verdict.state === "confirmed" && verdict.label === "blocked" ? null : (
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Confirm: keep out. ${kind} ${verdict.subject}`}
              onClick={() => decide("confirm")}
            >
              Confirm: keep out
            </button>
          )}
        </p>
      ) : null}
    </li>
  );
}

function Notes({ verdict }: { verdict: Verdict }) {
  return (
    <table class="notes">
      <caption class="about">What made it unusual, with a score of {verdict.score.toFixed(1)}</caption>
      <thead>
        <tr>
          <th scope="col">What was measured</th>
          <th scope="col">Part of the score</th>
          <th scope="col" class="number">
            Value
          </th>
        </tr>
      </thead>
      <tbody>
        {notesOf(verdict.explanation).map((note) => (
          <tr key={note.feature}>
            <th scope="row">
              {note.words}{" "}
              <span class="about">{note.direction === "high" ? "▲ higher" : "▼ lower"} than usual</span>
            </th>
            <td class="bar">
              <span class="measured">
                <progress value={note.share} max={1} aria-label={`${note.words}: part of the score`} />
                <span class="number">{aligned(note.share)}</span>
              </span>
            </td>
            <td class="number">{measured(note)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
