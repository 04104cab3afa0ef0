import type { World } from "./worlds.ts";

/** Pages of every application. */
const everywhere = [
  "/",
  "/documents",
  "/dead",
  "/dead?state=all",
  "/errors",
  "/alerts",
  "/alerts/rules",
  "/workers",
  "/outages",
  "/policies",
  "/quarantine",
  "/conflicts",
  "/sources",
  "/events",
  "/bench",
  "/audit",
  "/health",
  "/settings",
  "/find?q=a",
  "/no/such/page",
] as const;

const readers = ["/threads", "/threads?level=contested", "/lists", "/search", "/search?q=deadline"] as const;

/** An address of each kind of page, with content where the application has any. */
export async function everyAddress(world: World): Promise<string[]> {
  const { operator } = world;
  const found: string[] = [...everywhere];
  const part = encodeURIComponent;
  for (const { stage } of await operator.status()) found.push(`/stages/${part(stage)}`);
  for (const { id, collection, document, stage } of await operator.listDead({ limit: 4 })) {
    found.push(`/dead/${id}`);
    found.push(
      collection === null
        ? `/g/${part(stage)}/${part(document)}`
        : `/d/${part(collection)}/${part(document)}`,
    );
  }
  for (const { name } of await operator.collections()) {
    found.push(`/documents?collection=${part(name)}`);
    const [first] = await operator.documents({ collection: name }, { limit: 1 });
    if (first) found.push(`/d/${part(name)}/${part(first.id)}`);
    if (name === "threads") {
      found.push(...readers);
      const threads = await operator.documents({ collection: name }, { limit: 2 });
      found.push(...threads.map(({ id }) => `/t/${part(id)}`));
    }
  }
  const [manual] = await operator.documents({ collection: "manuals" }, { limit: 1 }).catch(() => []);
  if (manual) found.push("/manuals", "/manuals?q=E-117", `/manuals/${part(manual.id)}?page=2&quote=the`);
  for (const { name } of (await operator.sources()).slice(0, 2)) found.push(`/sources/${part(name)}`);
  for (const { id } of await operator.audit({ limit: 2 })) found.push(`/acts/${id}`);
  for (const { fingerprint } of await operator.groupErrors({ limit: 2 }))
    found.push(`/errors/${part(fingerprint)}`);
  for (const { id } of await operator.conflicts({ limit: 1 })) found.push(`/conflicts/${id}`);
  for (const { id } of await operator.listAlerts({ state: "all", limit: 1 })) found.push(`/alerts/${id}`);
  return found;
}
