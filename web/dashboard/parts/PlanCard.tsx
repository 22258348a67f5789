// What the counted traffic would cost on AWS, beside what was planned; the server makes it once an hour.
import { useEffect, useState } from "preact/hooks";
import { Gone, get, Problem } from "../api.ts";
import { type Plan, planRows } from "../plan.ts";
import { whole } from "../words.ts";
import { Loading } from "./states.tsx";

const AGAIN_MS = 10_000;

export function PlanCard() {
  const plan = usePlan();
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">Plan against actual</h2>
      {!plan || plan.isBeingMade ? (
        <Loading what="Making the plan" />
      ) : plan.actual ? (
        <Rows plan={plan} />
      ) : (
        <p class="about">{plan.says.join(" ")}</p>
      )}
    </section>
  );
}

function Rows({ plan }: { plan: Plan }) {
  return (
    <>
      <p class="about">What the last {whole(plan.hours)} hours would come to on AWS.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Counted
            </th>
            <th scope="col" class="number">
              Planned
            </th>
          </tr>
        </thead>
        <tbody>
          {planRows(plan).map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td class={row.isApart ? "number bad" : "number"}>
                {row.isApart ? "! " : ""}
                {row.actual}
              </td>
              <td class="number">{row.planned}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {plan.says.map((sentence) => (
        <p key={sentence}>{sentence.replaceAll("`", "")}</p>
      ))}
      <p class="about">
        The limit is that of {plan.actual?.firstToBreak}. <code>footfall plan --actual</code> says where each
        number comes from
        {plan.planned ? "." : "; the setting plan_hits_per_day puts your plan beside it."}
      </p>
    </>
  );
}

function usePlan(): Plan | null {
  const [plan, setPlan] = useState<Plan | null>(null);
  useEffect(() => {
    let timer = 0;
    let isOver = false;
    const look = async () => {
      let isDone = false;
      try {
        const found = await get<Plan>("/v1/plan");
        if (isOver) return;
        setPlan(found);
        isDone = !found.isBeingMade;
      } catch (error) {
        if (!(error instanceof Gone) && !(error instanceof Problem)) throw error;
      }
      if (!isDone && !isOver) timer = setTimeout(() => void look(), AGAIN_MS) as unknown as number;
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return plan;
}
