// Hits by what they are, with a bar and a share for each; it reads without its bars.
import { aligned, whole } from "../words.ts";

export interface HitsOf {
  name: string;
  hits: number;
  share: number;
}

export function SharesOfHits({ what, rows, most }: { what: string; rows: readonly HitsOf[]; most: number }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col" class="number">
            Hits
          </th>
          <th scope="col" class="number">
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((one) => (
          <tr key={one.name} class={one.hits ? "" : "none"}>
            <th scope="row">{one.name}</th>
            <td class="number hits">
              <span class="measured">
                <progress class="share" value={Math.min(one.hits, most)} max={most} aria-hidden="true" />
                {whole(one.hits)}
              </span>
            </td>
            <td class="number">{aligned(one.share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
