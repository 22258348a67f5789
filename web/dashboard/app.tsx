// The whole: who is here, whose numbers are shown, and which page.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { go, place, useParameters } from "./address.ts";
import { learnSession, missed, session } from "./api.ts";
import { patience } from "./asking.ts";
import { useCell } from "./cell.ts";
import { StandingContext, subject } from "./context.ts";
import { brandOf, facts, knownBrands } from "./facts.ts";
import { AccountPage } from "./pages/Account.tsx";
import { ArchivePage } from "./pages/Archive.tsx";
import { ArchivedPage } from "./pages/ArchivedPage.tsx";
import { AssetPage } from "./pages/Asset.tsx";
import { AudiencePage } from "./pages/Audience.tsx";
import { CapturePage } from "./pages/Capture.tsx";
import { ComparePage } from "./pages/Compare.tsx";
import { LedgerPage } from "./pages/Ledger.tsx";
import { MetricPage } from "./pages/Metric.tsx";
import { MetricsPage } from "./pages/Metrics.tsx";
import { MigrationPage } from "./pages/Migration.tsx";
import { MostReadPage } from "./pages/MostRead.tsx";
import { NoBrand } from "./pages/NoBrand.tsx";
import { NowPage } from "./pages/Now.tsx";
import { OperationsPage } from "./pages/Operations.tsx";
import { InvitationPage, ResetPage, SetupPage, SignInPage } from "./pages/People.tsx";
import { ScreeningPage } from "./pages/Screening.tsx";
import { SectionsPage } from "./pages/Sections.tsx";
import { SettingsPage } from "./pages/Settings.tsx";
import { TrendingPage } from "./pages/Trending.tsx";
import { WatchesPage } from "./pages/Watches.tsx";
import { WatchingPage } from "./pages/Watching.tsx";
import { Frame } from "./parts/Frame.tsx";
import { Empty, Loading } from "./parts/states.tsx";
import { ASSETS, CAPTURES, CATALOGUE, isOfPeople, pageOf } from "./routes.ts";
import type { BrandFacts } from "./shapes.ts";
import { Times } from "./words.ts";

export function App() {
  const { path } = useCell(place);
  const who = useCell(session);
  const isGone = useCell(missed) > 0;
  const wanted = useParameters().get("brand") ?? "";
  useSession();
  const known = knownBrands(who?.brands ?? [], facts.brands);
  const brand = brandOf(wanted, known);
  const page = pageOf(path);
  useTitle(useCell(subject) || (page?.name ?? "Nothing here"), brand);
  useEffect(() => {
    // An address that names a brand is somebody's who only wants to look at it.
    if (who?.needsSetup && !isOfPeople(path) && !known.length && !wanted) go("/setup", { replaces: true });
  }, [who]);

  const standing = {
    brand: brand ?? { brand: "", title: "", zone: "UTC" },
    times: new Times(brand?.zone ?? "UTC"),
    periods: [...facts.periods, ...(brand?.periods ?? []).filter((one) => !facts.periods.includes(one))],
  };
  return (
    <StandingContext.Provider value={standing}>
      <Frame brands={known} path={path} isGone={isGone}>
        {content(path, brand, who !== null)}
      </Frame>
    </StandingContext.Provider>
  );
}

function content(path: string, brand: BrandFacts | null, isKnown: boolean): ComponentChildren {
  if (path === "/sign-in") return <SignInPage />;
  if (path === "/setup") return <SetupPage />;
  if (path === "/invitation") return <InvitationPage />;
  if (path === "/reset") return <ResetPage />;
  if (path === "/account") return <AccountPage />;
  if (!pageOf(path)) return <Empty title="There is no such page">The menu has all that there are.</Empty>;
  if (!brand) return isKnown ? <NoBrand /> : <Loading />;
  // A page begins anew for each brand, so that nothing of another one is left in it.
  if (path.startsWith(ASSETS)) return <AssetPage key={brand.brand + path} />;
  if (path.startsWith(CATALOGUE)) return <MetricPage key={brand.brand + path} />;
  if (path.startsWith(CAPTURES)) return <CapturePage key={brand.brand + path} />;
  const Page = PAGE_OF[path] ?? NowPage;
  return <Page key={brand.brand} />;
}

const PAGE_OF: Record<string, () => ComponentChildren> = {
  "/": NowPage,
  "/most-read": MostReadPage,
  "/trending": TrendingPage,
  "/sections": SectionsPage,
  "/audience": AudiencePage,
  "/watching": WatchingPage,
  "/catalogue": MetricsPage,
  "/migration": MigrationPage,
  "/archive": ArchivePage,
  "/archive/page": ArchivedPage,
  "/archive/compare": ComparePage,
  "/archive/watches": WatchesPage,
  "/screening": ScreeningPage,
  "/ledger": LedgerPage,
  "/operations": OperationsPage,
  "/settings": SettingsPage,
};

function useSession(): void {
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    if (session.value) return;
    const timer = setTimeout(
      () => void learnSession().catch(() => setFailures((times) => times + 1)),
      failures ? patience(failures, 0, Math.random()) : 0,
    );
    return () => clearTimeout(timer);
  }, [failures]);
}

function useTitle(page: string, brand: BrandFacts | null): void {
  const title = brand ? `${page}: ${brand.title || brand.brand} · footfall` : `${page} · footfall`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
