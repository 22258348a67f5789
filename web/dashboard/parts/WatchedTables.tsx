// What was watched most, and by whom now: tables of minutes and of viewers.
import { assetAddress } from "../address.ts";
import { useStanding } from "../context.ts";
import { minutesSaid, type Viewers, type Watched, type WatchedShares } from "../watching.ts";
import { aligned, whole } from "../words.ts";
import { Link } from "./Link.tsx";
import { Empty } from "./states.tsx";

// Series are no assets: they have no page of their own, and no curve.
export function MinutesTable({
  items,
  what,
  choose,
}: {
  items: readonly Watched[];
  what: "Asset" | "Series";
  choose?: (asset: string) => void;
}) {
  const { brand } = useStanding();
  const most = Math.max(0.01, ...items.map((one) => one.minutes));
  return (
    <table class="assets">
      <caption class="hidden">What was watched most</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            #
          </th>
          <th scope="col">{what}</th>
          <th scope="col" class="number">
            Watched
          </th>
          {choose ? (
            <th scope="col">
              <span class="hidden">How far</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr key={one.assetId}>
            <td class="number rank">{one.rank ?? "–"}</td>
            <th scope="row" class="what">
              {what === "Asset" ? (
                <Link to={assetAddress(one.assetId, brand.brand)} class="asset" title={one.assetId}>
                  <bdi>{one.title || one.assetId}</bdi>
                </Link>
              ) : (
                <bdi class="asset">{one.title || one.assetId}</bdi>
              )}
            </th>
            <td class="number hits">
              <span class="measured">
                <progress class="share" value={one.minutes} max={most} aria-hidden="true" />
                {minutesSaid(one.minutes)}
              </span>
            </td>
            {choose ? (
              <td>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`How far ${one.title || one.assetId} is watched`}
                  onClick={() => choose(one.assetId)}
                >
                  How far
                </button>
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SectionMinutes({ shares }: { shares: WatchedShares }) {
  if (!shares.items.length) return <Empty title="No section was watched in this span" />;
  const most = Math.max(0.01, ...shares.items.map((one) => one.minutes));
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Section</th>
          <th scope="col" class="number">
            Watched
          </th>
          <th scope="col" class="number">
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {shares.items.map((one) => (
          <tr key={String(one.sectionId)}>
            <th scope="row">{String(one.sectionId ?? "") || <em>without</em>}</th>
            <td class="number hits">
              <span class="measured">
                <progress class="share" value={one.minutes} max={most} aria-hidden="true" />
                {minutesSaid(one.minutes)}
              </span>
            </td>
            <td class="number">{aligned(one.share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function ViewersTable({ now, items }: { now: Viewers; items: readonly Watched[] }) {
  const { brand } = useStanding();
  if (!now.assets.length)
    return (
      <Empty title="Nobody watches at this moment">
        <p>The list fills by itself with the next player that plays.</p>
      </Empty>
    );
  const titles = new Map(items.map((one) => [one.assetId, one.title]));
  return (
    <table>
      <caption class="hidden">What is being watched now</caption>
      <thead>
        <tr>
          <th scope="col">Asset</th>
          <th scope="col" class="number">
            Viewers
          </th>
        </tr>
      </thead>
      <tbody>
        {now.assets.map((one) => (
          <tr key={one.assetId}>
            <th scope="row" class="what">
              <Link to={assetAddress(one.assetId, brand.brand)} class="asset" title={one.assetId}>
                <bdi>{titles.get(one.assetId) || one.assetId}</bdi>
              </Link>
            </th>
            <td class="number">{whole(one.viewers)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
