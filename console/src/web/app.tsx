import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./ask.ts";
import { startLive } from "./live.ts";
import { ActPage, AuditPage } from "./pages/audit.tsx";
import { DeadPage } from "./pages/dead.tsx";
import { ConflictsPage, DeliveryPage, EventsPage, QuarantinePage, SourcesPage } from "./pages/deliveries.tsx";
import { DocumentPage } from "./pages/document.tsx";
import { DocumentsPage, FindPage } from "./pages/documents.tsx";
import { Enter } from "./pages/enter.tsx";
import { HealthPage, SettingsPage } from "./pages/health.tsx";
import { LetterPage } from "./pages/letter.tsx";
import { OutagesPage, WorkersPage } from "./pages/machines.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PoliciesPage } from "./pages/policies.tsx";
import { SearchPage } from "./pages/search.tsx";
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
  "/workers": WorkersPage,
  "/outages": OutagesPage,
  "/policies": PoliciesPage,
  "/quarantine": QuarantinePage,
  "/conflicts": ConflictsPage,
  "/sources": SourcesPage,
  "/events": EventsPage,
  "/audit": AuditPage,
  "/health": HealthPage,
  "/settings": SettingsPage,
  "/threads": ThreadsPage,
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
