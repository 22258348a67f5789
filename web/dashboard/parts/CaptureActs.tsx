// What can be done with a capture: share it, put it under legal hold, remove it with a reason.
import { send, session } from "../api.ts";
import { type Capture, titleOf } from "../captures.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { mayDo } from "../facts.ts";
import { Acting } from "./Acting.tsx";
import { Folded } from "./Folded.tsx";
import { Form, Input } from "./Form.tsx";

export function CaptureActs({ one, again }: { one: Capture; again: () => void }) {
  const { brand } = useStanding();
  const path = `/v1/archive/captures/${encodeURIComponent(one.id)}`;
  const isEditor = mayDo(brand.role, "editor");
  const who = useCell(session);
  const act = (name: string) => async () => {
    await send("POST", `${path}/${name}`, undefined, { brand: brand.brand });
    again();
  };
  if (!who?.person) return null;
  return (
    <section class="card" aria-labelledby="acts-title">
      <h2 id="acts-title">Share, hold, remove</h2>
      {isEditor ? (
        <p class="acts">
          {one.isShared ? (
            <Acting words="Stop sharing" about={`${titleOf(one)} with the brand`} act={act("unshare")} />
          ) : (
            <Acting words="Share" about={`${titleOf(one)} with the brand`} act={act("share")} />
          )}
          {one.isHeld ? (
            <Acting words="Release" about={`${titleOf(one)} from legal hold`} act={act("release")} />
          ) : (
            <Acting words="Hold" about={`${titleOf(one)} for legal reasons`} act={act("hold")} />
          )}
        </p>
      ) : (
        <p class="about">Editors share captures, and put them under legal hold.</p>
      )}
      {one.isHeld ? (
        <p class="about">It is under legal hold: nobody removes it until it is released.</p>
      ) : (
        <Folded words="Remove it for good">
          <p class="about">
            The picture, the text and the copy go, and cannot be brought back. That it was here, and why it
            was removed, stays.
          </p>
          <Form
            label="Remove the capture"
            button="Remove it"
            send={async ({ why }) => {
              await send("DELETE", path, undefined, { brand: brand.brand, why });
              again();
              return "Removed.";
            }}
          >
            <Input name="why" words="Reason" />
          </Form>
        </Folded>
      )}
    </section>
  );
}
