// Ledger: where every accepted hit went, adding up before your eyes.
import { useAsked } from "../asking.ts";
import { type Book, counterLinesOf, type Line, linesOf, sumOf, unknownLines } from "../books.ts";
import { useStanding } from "../context.ts";
import { Shown } from "../parts/states.tsx";
import { reasonWords } from "../reasons.ts";
import type { Ledger } from "../shapes.ts";
import { aligned, whole } from "../words.ts";

export function LedgerPage() {
  const { brand, times } = useStanding();
  const asked = useAsked<Ledger>("/v1/ledger", { brand: brand.brand }, 2_000);
  return (
    <>
      <div class="head">
        <h1>Ledger</h1>
      </div>
      <p class="about">Every hit that was accepted since the beginning is in exactly one line.</p>
      <Shown asked={asked} what="Reading the ledger">
        {(book) => (
          <>
            <section class="card" aria-label="The ledger">
              <Balance book={book} lines={linesOf(book)} />
              {book.rawSince ? (
                <p class="about">
                  Raw hits are kept since {times.momentOf(book.rawSince)}; those can be counted again.
                </p>
              ) : null}
            </section>
            {book.uniques ? (
              <section class="card" aria-labelledby="counters-title">
                <h2 id="counters-title">Values counted by name</h2>
                <Balance
                  book={book.uniques as Book}
                  lines={counterLinesOf(book.uniques as Book)}
                  what="value"
                />
              </section>
            ) : null}
          </>
        )}
      </Shown>
    </>
  );
}

function Balance({ book, lines, what = "hit" }: { book: Book; lines: readonly Line[]; what?: string }) {
  const sum = sumOf(lines);
  const isBalanced = sum === book.accepted;
  const unknown = unknownLines(book);
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
              {what === "hit" ? "Hits" : "Values"}
            </th>
            <th scope="col" class="number wide-only">
              Share
            </th>
            <th scope="col" class="number">
              Added up
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.flatMap((line) => {
            running += line.hits;
            return [
              <tr key={line.name} class={line.hits ? "" : "none"}>
                <th scope="row">
                  {line.name}
                  {line.name === "In flight" && book.inFlightIsEstimate ? " (about)" : ""}
                </th>
                <td class="wide-only">{line.says}</td>
                <td class="number">{whole(line.hits)}</td>
                <td class="number wide-only">{book.accepted ? aligned(line.hits / book.accepted) : "–"}</td>
                <td class="number faint">{whole(running)}</td>
              </tr>,
              ...line.reasons.map((reason) => (
                <tr key={`${line.name}-${reason.name}`} class="reason">
                  <th scope="row" title={reason.name}>
                    {reasonWords(reason.name)}
                  </th>
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
            <th scope="row">Sum of the lines</th>
            <td class="wide-only" />
            <td class="number">{whole(sum)}</td>
            <td class="wide-only" />
            <td class="number">{whole(running)}</td>
          </tr>
          <tr>
            <th scope="row">Accepted</th>
            <td class="wide-only">answered with “accepted” (202)</td>
            <td class="number">{whole(book.accepted)}</td>
            <td class="wide-only" />
            <td class="number">{isBalanced ? "✓ the same" : "not the same"}</td>
          </tr>
        </tfoot>
      </table>
      <p class={isBalanced ? "balance" : "balance off"} role="status">
        {isBalanced
          ? "✓ The lines add up."
          : `The lines add up to ${whole(sum)}, not to ${whole(book.accepted)}.`}
        {isBalanced || !unknown.length
          ? ""
          : ` The server has lines that this page does not know: ${unknown.join(", ")}.`}
      </p>
    </>
  );
}
