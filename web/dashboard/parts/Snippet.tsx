// The line that a brand's pages need.
import { useStanding } from "../context.ts";
import { snippetOf } from "../snippets.ts";
import { Copied, usePublicKey } from "./FirstSteps.tsx";

export function Snippet() {
  const { brand } = useStanding();
  const key = usePublicKey();
  if (key === undefined || key === null) return null;
  return (
    <>
      <p>The line for its pages:</p>
      <Copied name="the snippet" text={snippetOf(location.origin, brand.brand, key)} />
    </>
  );
}
