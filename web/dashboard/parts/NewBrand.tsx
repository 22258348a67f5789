// An owner of the instance adds a brand.
import { addressOf, go } from "../address.ts";
import { learnSession, send } from "../api.ts";
import { Form, Input } from "./Form.tsx";

// The zones that this browser knows, to choose from; the server knows them all.
const ZONES = typeof Intl.supportedValuesOf === "function" ? Intl.supportedValuesOf("timeZone") : [];

export function NewBrand({ isFirst = false }: { isFirst?: boolean }) {
  return (
    <section class="card" aria-labelledby="new-brand-title">
      <h2 id="new-brand-title">{isFirst ? "A brand" : "Another brand"}</h2>
      <p class="about">
        You own this instance, so you may add brands to it. Each has its own lists and keys.
      </p>
      <Form
        label="Add a brand"
        button="Add the brand"
        send={async ({ brand, title, zone }) => {
          await send("POST", "/v1/brands", {
            brand,
            ...(title ? { title } : {}),
            ...(zone ? { zone } : {}),
          });
          await learnSession();
          go(addressOf("/", brand ?? ""));
          return undefined;
        }}
      >
        <div class="row">
          <Input name="brand" words="Name" hint="short, such as herald; it stays" />
          <Input name="title" words="Title" hint="as readers know it" isOptional />
          <Input
            name="zone"
            words="Time zone of its days"
            value={Intl.DateTimeFormat().resolvedOptions().timeZone}
            hint="for good"
            options={ZONES}
          />
        </div>
      </Form>
    </section>
  );
}
