// Ledger: where every accepted hit went, adding up before your eyes.
import { useAsked } from "../asking.ts";
import { linesOf, sumOf } from "../books.ts";
import { useStanding } from "../context.ts";
import { Shown } from "../parts/states.tsx";
import { reasonWords } from "../reasons.ts";
import type { Ledger } from "../shapes.ts";
import { percent, whole } from "../words.ts";

export function LedgerPage() {
  const { brand, times } = useStanding();
  const asked = useAsked<Ledger>("/v1/ledger", { brand: brand.brand }, 2_000);
  return (
    <>
      <div class="head">
        <h1>Ledger</h1>
      </div>
      <p class="about">Every hit that was answered with “accepted” is in exactly one line.</p>
      <section class="card" aria-label="The ledger">
        <Shown asked={asked} what="Reading the ledger">
          {(book) => <Book book={book} since={book.rawSince ? times.momentOf(book.rawSince) : ""} />}
        </Shown>
      </section>
    </>
  );
}

function Book({ book, since }: { book: Ledger; since: string }) {
  const lines = linesOf(book);
  const sum = sumOf(lines);
  const isBalanced = sum === book.accepted;
  let running = 0;
  return (
    <>
      <table class="ledger">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col" class="wide-only">
              What it is
            </th>
            <th scope="col" class="number">
              Hits
            </th>
            <th scope="col" class="number wide-only">
              Share
            </th>
            <th scope="col" class="number">
              So far
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.flatMap((line) => {
            running += line.hits;
            return [
              <tr key={line.name} class={line.hits ? "" : "none"}>
                <th scope="row">{line.name}</th>
                <td class="wide-only">{line.says}</td>
                <td class="number">{whole(line.hits)}</td>
                <td class="number wide-only">{book.accepted ? percent(line.hits / book.accepted) : "–"}</td>
                <td class="number faint">{whole(running)}</td>
              </tr>,
              ...line.reasons.map((reason) => (
                <tr key={`${line.name}-${reason.name}`} class="reason">
                  <th scope="row">{reasonWords(reason.name)}</th>
                  <td class="wide-only" />
                  <td class="number">{whole(reason.hits)}</td>
                  <td class="number wide-only" />
                  <td />
                </tr>
              )),
            ];
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Accepted</th>
            <td class="wide-only">answered with 202</td>
            <td class="number">{whole(book.accepted)}</td>
            <td class="wide-only" />
            <td class="number">{whole(sum)}</td>
          </tr>
        </tfoot>
      </table>
      <p class={isBalanced ? "balance" : "balance off"} role="status">
        {isBalanced
          ? "✓ The lines add up."
          : `The lines add up to ${whole(sum)}, not to ${whole(book.accepted)}.`}
        {since ? ` Raw hits are kept since ${since}.` : ""}
      </p>
    </>
  );
}
