// One number, large, with what it is and what it stands beside.
import type { Series } from "../shapes.ts";
import { boundsBeside, whole } from "../words.ts";

export function Figure({
  name,
  value,
  says,
  id,
}: {
  name: string;
  value: string;
  says?: string;
  id?: string;
}) {
  return (
    <div class="figure" id={id}>
      <span class="figure-name">{name}</span>
      <span class="figure-value">{value}</span>
      <span class="figure-says">{says}</span>
    </div>
  );
}

// Visitors of a span, with their bounds where they are not certain; a dash until they are read.
export function VisitorsFigure({ name = "Visitors", told }: { name?: string; told: Series | undefined }) {
  if (!told) return <Figure name={name} value="–" says="" />;
  const { uniques = 0, uniquesAtLeast = 0, uniquesAtMost } = told;
  return (
    <Figure name={name} value={whole(uniques)} says={boundsBeside(uniques, uniquesAtLeast, uniquesAtMost)} />
  );
}
