// Settings: a list of parts, each about one thing, for whoever may do it.
import { useRef } from "preact/hooks";
import { addressOf } from "../address.ts";
import { session } from "../api.ts";
import { useAsked } from "../asking.ts";
import { useCell } from "../cell.ts";
import { useStanding } from "../context.ts";
import { facts, mayDo } from "../facts.ts";
import { Alerts } from "../parts/Alerts.tsx";
import { Box } from "../parts/Box.tsx";
import { BrandRules } from "../parts/BrandRules.tsx";
import { Contents } from "../parts/Contents.tsx";
import { Edits } from "../parts/Edits.tsx";
import { Keys } from "../parts/Keys.tsx";
import { Link } from "../parts/Link.tsx";
import { Members } from "../parts/Members.tsx";
import { NewBrand } from "../parts/NewBrand.tsx";
import { OwnPeriods } from "../parts/OwnPeriods.tsx";
import { Snippet } from "../parts/Snippet.tsx";
import { Trail } from "../parts/Trail.tsx";
import type { BrandDocument } from "../shapes.ts";
import { periodName } from "../words.ts";

export function SettingsPage() {
  const { brand } = useStanding();
  const who = useCell(session);
  const isAdmin = mayDo(brand.role, "admin") && !brand.isOpen;
  const isOwner = who?.person?.isOwner ?? false;
  const page = useRef<HTMLDivElement>(null);
  return (
    <div class="parts" ref={page}>
      <div class="head">
        <h1>Settings</h1>
        <p class="about">
          {brand.title || brand.brand} · {brand.zone}
          {brand.role ? ` · you are ${isOwner ? "an owner" : brand.role}` : ""}
        </p>
      </div>
      <Contents of={page} />
      {isAdmin ? <OfBrand /> : <ThisBrand isOwner={isOwner} />}
      <Box />
      {isAdmin ? <Keys /> : null}
      {isAdmin ? <Members /> : null}
      {isAdmin ? <Alerts /> : null}
      {mayDo(brand.role, "editor") ? <Edits /> : null}
      {mayDo(brand.role, "admin") ? <Trail of="brand" /> : null}
      {isOwner ? <NewBrand /> : null}
      {isOwner ? <Trail of="instance" /> : null}
    </div>
  );
}

function OfBrand() {
  const { brand } = useStanding();
  const asked = useAsked<BrandDocument>("/v1/brand", { brand: brand.brand });
  return (
    <>
      <BrandRules asked={asked} />
      <OwnPeriods asked={asked} />
    </>
  );
}

function ThisBrand({ isOwner }: { isOwner: boolean }) {
  const { brand, periods } = useStanding();
  const who = useCell(session);
  return (
    <section class="card" aria-labelledby="this-brand-title">
      <h2 id="this-brand-title">This brand</h2>
      <p>
        Its days begin in <strong>{brand.zone}</strong>, its lists have the periods{" "}
        <strong>{periods.map(periodName).join(", ")}</strong>.
      </p>
      <Snippet />
      {brand.isOpen ? (
        <p class="about">
          Everybody may read this brand and send hits to it, as the settings name it. So it has no rules,
          keys, members or alerts;{" "}
          {isOwner ? "add a brand of your own below for those." : "a stored one has those."}
        </p>
      ) : brand.role ? (
        <p class="about">Rules, keys and members are for this brand’s administrators.</p>
      ) : (
        <p class="about">
          Rules, keys, members and pins need somebody who is signed in.{" "}
          {facts.people && who && !who.person ? (
            <Link to={addressOf("/sign-in", "", { next: addressOf("/settings", brand.brand) })}>Sign in</Link>
          ) : null}
        </p>
      )}
    </section>
  );
}
