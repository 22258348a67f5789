// Closed periods of earnings with their statements, for whoever administers the brand.
import { useAsked } from "../asking.ts";
import { useStanding } from "../context.ts";
import { mayDo } from "../facts.ts";
import { type Closed, daysSaid, minutesSaid, moneySaid, statementAddress } from "../watching.ts";
import { knownZone } from "../words.ts";
import { Empty, Shown } from "./states.tsx";

export function Earnings() {
  const { brand } = useStanding();
  return (
    <section class="card" aria-labelledby="earnings">
      <h2 id="earnings">Earnings</h2>
      {mayDo(brand.role, "admin") ? (
        <Periods />
      ) : (
        <p class="about">
          Whoever is signed in and administers the brand finds the statements of closed periods here.
        </p>
      )}
    </section>
  );
}

function Periods() {
  const { brand, times } = useStanding();
  const asked = useAsked<{ periods: Closed[] }>("/v1/audience/earnings", { brand: brand.brand });
  const zone = knownZone(brand.zone);
  return (
    <Shown asked={asked} what="Reading the closed periods">
      {({ periods }) =>
        periods.length ? (
          <>
            <p class="about">A closed period is never changed; a statement has its corrections with it.</p>
            <section class="scroll" tabIndex={0} aria-label="Closed periods">
              <table class="stacked">
                <thead>
                  <tr>
                    <th scope="col">Period</th>
                    <th scope="col">Days</th>
                    <th scope="col">Watched</th>
                    <th scope="col">Money</th>
                    <th scope="col">Closed</th>
                    <th scope="col">Statement</th>
                  </tr>
                </thead>
                <tbody>
                  {periods.map((one) => (
                    <tr key={one.name}>
                      <th scope="row">{one.name}</th>
                      <td data-name="Days">{daysSaid(one.from, one.to, zone)}</td>
                      <td data-name="Watched">{minutesSaid(one.milliseconds / 60_000)}</td>
                      <td data-name="Money">{moneySaid(one.amount, one.digits, one.currency)}</td>
                      <td data-name="Closed">{times.dateOf(one.closedAt)}</td>
                      <td data-name="Statement">
                        <a
                          href={statementAddress(brand.brand, one.name, "csv")}
                          download={`${one.name}.csv`}
                          aria-label={`${one.name} as CSV`}
                        >
                          CSV
                        </a>{" "}
                        <a
                          href={statementAddress(brand.brand, one.name, "html")}
                          target="_blank"
                          rel="noopener"
                          aria-label={`${one.name} as a page to print`}
                        >
                          To print
                        </a>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          </>
        ) : (
          <Empty title="No period is closed yet">
            <p>
              When a month is over, <code>footfall earnings close</code> or{" "}
              <code>POST /v1/audience/earnings</code> divides its money by what was watched.
            </p>
          </Empty>
        )
      }
    </Shown>
  );
}
