// Says that a metric should not be used any more, or takes that back.
import { send } from "../api.ts";
import { useStanding } from "../context.ts";
import type { Metric } from "../metrics.ts";
import { Folded } from "./Folded.tsx";
import { Form, Input } from "./Form.tsx";

export function Retiring({ metric, done }: { metric: Metric; done: () => void }) {
  const { brand } = useStanding();
  const path = `/v1/metrics/${encodeURIComponent(metric.name)}`;
  const act = async (what: string, { reason, replacement }: Record<string, string>) => {
    const body = {
      ...(reason ? { reason } : {}),
      ...(replacement?.trim() ? { replacement: replacement.trim() } : {}),
    };
    await send("POST", `${path}/${what}`, body, { brand: brand.brand });
    done();
    return what === "restore" ? "Restored." : "Deprecated.";
  };
  const isGone = Boolean(metric.deprecatedAt);
  return (
    <section class="card" aria-labelledby="retiring-title">
      <h2 id="retiring-title">{isGone ? "Restore it" : "Deprecate it"}</h2>
      <Folded words={isGone ? "Take it back" : "Say why, and what to use instead"}>
        <p class="about">
          {isGone
            ? "It answers as before; those who look for a metric are told not to use it."
            : "It goes on answering, and those who look at it are told why not to use it and what to use instead."}
        </p>
        {isGone ? (
          <Form
            key="restore"
            label="Restore the metric"
            button="Restore"
            send={(values) => act("restore", values)}
          >
            <Input name="reason" words="Why" isOptional />
          </Form>
        ) : (
          <Form
            key="deprecate"
            label="Deprecate the metric"
            button="Deprecate"
            send={(values) => act("deprecate", values)}
          >
            <div class="row">
              <Input name="reason" words="Why" hint="such as counts prefetched pages" />
              <Input name="replacement" words="To use instead" hint="the name of a metric" isOptional />
            </div>
          </Form>
        )}
      </Folded>
    </section>
  );
}
