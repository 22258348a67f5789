// Pin an asset to the top, or hide it, from its own page.
import { useState } from "preact/hooks";
import { send } from "../api.ts";
import { useStanding } from "../context.ts";

export function EditButtons({ asset }: { asset: string }) {
  const { brand } = useStanding();
  const [said, setSaid] = useState("");
  const act = async (what: string, words: string, body: unknown) => {
    try {
      await send("PUT", `/v1/edits/${what}/${encodeURIComponent(asset)}`, body, { brand: brand.brand });
      setSaid(`${words}. Settings has all pins and hidden assets.`);
    } catch (error) {
      setSaid(error instanceof Error ? error.message : "That did not work.");
    }
  };
  return (
    <p class="acts">
      <button type="button" onClick={() => void act("pins", "Pinned to the first place", { place: 1 })}>
        Pin to the top
      </button>
      <button type="button" onClick={() => void act("hidden", "Hidden from lists", {})}>
        Hide from lists
      </button>
      <span role="status">{said}</span>
    </p>
  );
}
