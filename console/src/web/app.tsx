import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./ask.ts";
import { startLive } from "./live.ts";
import { AlertRulesPage } from "./pages/alert-rules.tsx";
import { AlertPage, AlertsPage } from "./pages/alerts.tsx";
import { ActPage, AuditPage } from "./pages/audit.tsx";
import { BenchPage } from "./pages/bench.tsx";
import { DeadPage } from "./pages/dead.tsx";
import {
  ConflictPage,
  ConflictsPage,
  DeliveryPage,
  EventsPage,
  QuarantinePage,
} from "./pages/deliveries.tsx";
import { DocumentPage } from "./pages/document.tsx";
import { DocumentsPage, FindPage } from "./pages/documents.tsx";
import { Enter } from "./pages/enter.tsx";
import { ErrorPage, ErrorsPage } from "./pages/errors.tsx";
import { HealthPage } from "./pages/health.tsx";
import { LetterPage } from "./pages/letter.tsx";
import { DigestPage, ListsPage } from "./pages/lists.tsx";
import { OutagesPage, WorkersPage } from "./pages/machines.tsx";
import { ManualPage, ManualsPage } from "./pages/manuals.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PoliciesPage } from "./pages/policies.tsx";
import { SearchPage } from "./pages/search.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { SourcePage, SourcesPage } from "./pages/sources.tsx";
import { StagePage } from "./pages/stage.tsx";
import { ThreadPage } from "./pages/thread.tsx";
import { ThreadsPage } from "./pages/threads.tsx";
import { Banner, Frame } from "./parts/frame.tsx";
import { recognise } from "./recognise.ts";
import { Link, useAddress } from "./route.tsx";
import { entered } from "./session.ts";
import { useStore } from "./store.ts";

export function App() {
  const inside = useStore(entered);
  useEffect(() => void begin(), []);
  useEffect(() => {
    if (inside) startLive();
  }, [inside]);
  if (inside === null) return <p class="loading">Loading …</p>;
  if (!inside) return <Enter />;
  return (
    <>
      <Frame />
      <Banner />
      <main id="main">
        <Routed />
      </main>
    </>
  );
}

/** A code behind # is used up and wiped from the address before anything else. */
async function begin(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("enter");
  if (code !== null) {
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    await ask("enter", { key: code }).catch(() => undefined);
  }
  await recognise();
}

const simple: Readonly<Record<string, () => JSX.Element>> = {
  "/": OverviewPage,
  "/documents": DocumentsPage,
  "/dead": DeadPage,
  "/errors": ErrorsPage,
  "/alerts": AlertsPage,
  "/alerts/rules": AlertRulesPage,
  "/workers": WorkersPage,
  "/outages": OutagesPage,
  "/policies": PoliciesPage,
  "/quarantine": QuarantinePage,
  "/conflicts": ConflictsPage,
  "/sources": SourcesPage,
  "/events": EventsPage,
  "/bench": BenchPage,
  "/audit": AuditPage,
  "/health": HealthPage,
  "/settings": SettingsPage,
  "/threads": ThreadsPage,
  "/lists": ListsPage,
  "/manuals": ManualsPage,
  "/search": SearchPage,
  "/find": FindPage,
};

function Routed() {
  const { path } = useAddress();
  const Simple = simple[path];
  if (Simple) return <Simple />;
  const [, first, second, ...rest] = path.split("/");
  const name = decode(second ?? "");
  if (first === "stages" && name !== "") return <StagePage name={name} />;
  if (first === "d" && rest.length > 0)
    return <DocumentPage where={{ collection: name, id: decode(rest.join("/")) }} />;
  if (first === "g" && rest.length > 0)
    return <DocumentPage where={{ stage: name, key: decode(rest.join("/")) }} />;
  if (first === "dead") return <LetterPage id={name} />;
  if (first === "errors" && name !== "") return <ErrorPage fingerprint={name} />;
  if (first === "conflicts") return <ConflictPage id={name} />;
  if (first === "alerts") return <AlertPage id={name} />;
  if (first === "lists" && name !== "") return <DigestPage name={name} />;
  if (first === "manuals" && name !== "") return <ManualPage id={name} />;
  if (first === "sources" && name !== "") return <SourcePage name={name} />;
  if (first === "acts") return <ActPage id={name} />;
  if (first === "quarantine") return <DeliveryPage id={name} />;
  if (first === "t") return <ThreadPage id={decode(path.slice("/t/".length))} />;
  return (
    <>
      <h1 tabIndex={-1}>There is no such page</h1>
      <p>
        The address may have been cut. <Link href="/">The pipeline</Link> is where everything begins.
      </p>
    </>
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
