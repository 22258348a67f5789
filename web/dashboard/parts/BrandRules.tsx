// What a brand is called, where its pages are, and what its lists show; its zone stays.
import { learnSession, send } from "../api.ts";
import type { Asked } from "../asking.ts";
import { useStanding } from "../context.ts";
import type { BrandDocument } from "../shapes.ts";
import { Choice, Form, Input, Lines } from "./Form.tsx";
import { Snippet } from "./Snippet.tsx";
import { Shown } from "./states.tsx";

export function BrandRules({ asked }: { asked: Asked<BrandDocument> }) {
  const { brand } = useStanding();
  return (
    <section class="card" aria-labelledby="rules-title">
      <h2 id="rules-title">The brand</h2>
      <Snippet />
      <Shown asked={asked} what="Reading the rules">
        {(rules) => (
          <Form
            label="The brand's rules"
            button="Save"
            keeps
            send={async ({ title, origins, screening, isPublic, unlabelled }) => {
              const changes = {
                title,
                origins: (origins ?? "").split(/[\s,]+/).filter(Boolean),
                screening,
                isPublic: isPublic === "true",
                unlabelled,
              };
              await send("PATCH", "/v1/brand", changes, { brand: brand.brand });
              asked.again();
              await learnSession();
              return "Saved.";
            }}
          >
            <div class="row">
              <Input name="title" words="Title" value={rules.title} isOptional />
              <label class="field">
                <span>Time zone of its days</span>
                <input value={rules.zone} readOnly aria-describedby="zone-hint" />
                <small id="zone-hint" class="about">
                  for good: days are kept as this zone cut them
                </small>
              </label>
            </div>
            <Lines
              name="origins"
              words="Origins of its pages (scheme and host), one a line; none: every page may send with the public key"
              rows={3}
              value={rules.origins.join("\n")}
              isOptional
            />
            <Choice
              name="screening"
              words="Suspected hits"
              value={rules.screening}
              options={[
                ["observe", "observe: lists show them, and you may look at why"],
                ["hold", "hold: lists leave them out, and cases wait for you"],
                ["filter", "filter: lists leave them out, and nothing waits"],
              ]}
            />
            <div class="row">
              <Choice
                name="isPublic"
                words="Lists"
                value={String(rules.isPublic)}
                options={[
                  ["true", "public: anybody may read them"],
                  ["false", "private: a key or a member reads them"],
                ]}
              />
              <Choice
                name="unlabelled"
                words="Hits without labels"
                value={rules.unlabelled}
                options={[
                  ["count", "count at once"],
                  ["hold", "wait until the catalogue knows the asset"],
                ]}
              />
            </div>
          </Form>
        )}
      </Shown>
    </section>
  );
}
