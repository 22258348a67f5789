// One number, large, with what it is and what it stands beside.
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
