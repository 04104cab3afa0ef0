import { serveOperators } from "../../cli/src/serve-operators.ts";
import { systemConsole } from "../../cli/src/terminal.ts";
import { countSignals, type Database, type DatabaseOption, startEngine } from "../../engine/src/index.ts";
import { makeLetters, moodyPost } from "../support/post-office.ts";
import { drain } from "./tabs.ts";
import { newFolder } from "./worlds.ts";

const rounds = 40;

/** Addresses of page answers. */
const pages = [
  "overview",
  "stage?name=stamping",
  "documents?collection=letters",
  "documents?collection=letters&state=dead&stage=stamping",
  "documents?collection=letters&state=waiting&stage=stamping",
  "document?collection=letters&id=doc-500",
  "dead",
  "dead?stage=stamping&code=post.closed",
  "letter?id=1",
  "outages",
  "workers",
  "policies",
  "alerts",
  "alertRules",
  "events",
  "conflicts",
  "quarantine",
  "audit",
  "sources",
  "health",
  "history",
  "errors",
  "find?q=doc-77",
  "documents?collection=letters&after=doc-5",
  "source?name=a%20million",
] as const;

/** The 95th percentile of all page answers over HTTP, with a tenth of the documents open and a hundredth dead. */
export async function measurePages(database: DatabaseOption, documents: number) {
  const data = await newFolder();
  const pipeline = makeLetters();
  const services = { post: moodyPost() };
  const engine = await startEngine({ pipelines: [pipeline], services, database, work: false });
  try {
    await fill(engine.database, documents);
    const app = { engine, pipelines: [pipeline], consensus: null, manuals: null, stop: () => engine.stop() };
    const served = await serveOperators(app, {
      data,
      host: "127.0.0.1",
      port: 0,
      web: true,
      counters: countSignals(),
      stopping: new AbortController().signal,
      console: { ...systemConsole(), warn: (text) => process.stderr.write(text) },
    });
    try {
      return await ask(served.url, served.entry() as string);
    } finally {
      await served.close();
    }
  } finally {
    const { schema } = engine.database;
    await engine.database.script(`drop schema if exists "${schema}" cascade`).catch(() => undefined);
    await engine.stop();
  }
}

async function ask(url: string, entry: string) {
  const entered = await fetch(`${url}/api/console/enter`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key: new URL(entry).hash.slice("#enter=".length) }),
  });
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] as string;
  // A tab is open, as always when a person asks for a page.
  const watching = new AbortController();
  const live = await fetch(`${url}/api/console/live`, { headers: { cookie }, signal: watching.signal });
  // An answer that nobody reads is closed by the collector of garbage.
  if (live.body) void drain(live.body);
  const times = new Map<string, number[]>(pages.map((page) => [page, []]));
  for (let round = 0; round < rounds; round++)
    for (const page of pages) {
      const from = performance.now();
      const answer = await fetch(`${url}/api/console/${page}`, { headers: { cookie } });
      if (!answer.ok) throw new Error(`${page}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
      // The first round fills caches of the server's connections.
      if (round > 0) times.get(page)?.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  watching.abort();
  const all = [...times.values()].flat();
  const slowest = [...times].map(([page, taken]) => [page, percentile(taken)] as const);
  return { p95Ms: percentile(all), slowest: slowest.sort((a, b) => b[1] - a[1]) };
}

function percentile(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? 0);
}

const letters = "(select id from headway.collection where name = 'letters')";
const stamping = "(select id from headway.stage where name = 'stamping')";

/** Rows as made by accepting and working: of a hundred letters 89 are done, 10 open, 1 dead. */
async function fill(database: Database, documents: number): Promise<void> {
  await database.script(`
    insert into headway.variant (stage, version, config_hash, model, config, first_seen_at)
    select ${stamping}, '1', '\\x00', '', '{}', now()
    where not exists (select 1 from headway.variant where stage = ${stamping});
    insert into headway.source (name, first_seen_at) values ('a million', now());
    insert into headway.document
      (subject, collection, id, hash, body, producer, producer_stage, request, created_at, changed_at)
    select 1000000 + n, ${letters}, 'doc-' || n, decode(md5(n::text), 'hex'),
      jsonb_build_object('list', 'list-' || n % 100, 'text', repeat(md5(n::text) || ' ', 8)),
      (select id from headway.source limit 1), 0, gen_random_uuid(),
      now() - interval '10 days', now() - interval '10 days'
    from generate_series(1, ${documents}) n;
    insert into headway.done (subject, stage, marker, input_hash, variant, attempts, outputs, finished_at)
    select d.subject, ${stamping}, d.hash, d.hash,
      (select max(id) from headway.variant where stage = ${stamping}), 1, 1,
      now() - random() * interval '10 days'
    from headway.document d where d.collection = ${letters} and d.subject % 100 >= 11;
    insert into headway.task (subject, stage, ready_at, owed_at, attempts)
    select d.subject, ${stamping}, now() + (random() * 600 - 300) * interval '1 second',
      now() - random() * interval '2 hours', d.subject % 3
    from headway.document d where d.collection = ${letters} and d.subject % 100 between 1 and 10;
    insert into headway.dead_letter (subject, stage, reason, kind, code, fingerprint, fault, input, attempts, waits,
      crashes, rank, request, correlation_id, died_at)
    select d.subject, ${stamping}, 'exhausted', 'transient', 'post.closed', 'print-' || (d.subject / 100) % 40,
      jsonb_build_object('message', 'The post is closed ' || d.subject, 'code', 'post.closed', 'kind', 'transient'),
      d.body, 3, 0, 0, 0, d.request, 'req_x.stage_stamping.retry_2', now() - random() * interval '5 days'
    from headway.document d where d.collection = ${letters} and d.subject % 100 = 0;
    analyze headway.document; analyze headway.done; analyze headway.task; analyze headway.dead_letter;`);
}
