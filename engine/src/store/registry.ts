import { type Owned, own } from "../decide/own.ts";
import { DefinitionError } from "../define/definition-error.ts";
import type { Database, Queryable } from "./database.ts";
import { readOwners, writeOwners } from "./owners.ts";
import { int2s, sql, texts } from "./sql.ts";
import type { SetSettings } from "./stage-settings.ts";

/** The numbers of names in the database. */
export interface Registered {
  readonly collections: ReadonlyMap<string, number>;
  readonly stages: ReadonlyMap<string, number>;
  /** By stage number: the variant of its code. */
  readonly variants: ReadonlyMap<number, number>;
}

export interface StageRegistration {
  readonly name: string;
  readonly shape: string;
  readonly reads: string;
  readonly after: readonly string[];
  readonly concurrency: number | null;
  readonly rate: { readonly limit: number; readonly perMs: number } | null;
  /** Which members of its group a result is made of: `all`, `any`, or a path to their ids. */
  readonly madeOf: string;
  /** Documents run in child processes, so the death of a worker is not charged to a document. */
  readonly isolated: boolean;
  /** The stage looks at other documents beside its input. */
  readonly looks: boolean;
  readonly version: string;
  readonly configHash: Buffer;
  readonly config: object;
  readonly model: string;
}

export interface Registration {
  readonly collections: readonly string[];
  readonly stages: readonly StageRegistration[];
  /** The names of pipelines, with their meanings. */
  readonly owned?: readonly Owned[];
  readonly now: Date;
}

/**
 * Makes collections, stages and their variants known to the database; a known name keeps its number. A start with the same
 * code writes nothing: the claims of all workers would wait for the rows.
 */
export const register = async (db: Database, registration: Registration): Promise<Registered> =>
  (await findRegistered(db, registration)) ?? (await writeRegistered(db, registration));

interface KnownStage {
  readonly id: number;
  readonly name: string;
  readonly variant: number;
  readonly declared: string;
}

/** Null: something is new, or was declared otherwise. */
async function findRegistered(
  db: Queryable,
  { collections, stages, owned = [] }: Registration,
): Promise<Registered | null> {
  const ownership = own(owned, await readOwners(db));
  if (ownership.kind === "refused" || ownership.put.length + ownership.drop.length > 0) return null;
  const collectionNumbers = new Map((await listCollections(db)).map(({ id, name }) => [name, id]));
  const rows = await db.query<KnownStage>(sql`
    select s.id, s.name, v.id as variant, json_build_array(s.shape, s.reads, s.after_stages, s.concurrency, s.rate_limit,
      s.rate_per_ms, s.made_of, s.isolated, s.looks, v.version, encode(v.config_hash, 'hex'), v.model)::text as declared
    from headway.stage s join headway.variant v on v.id = s.variant`);
  const known = new Map(rows.map((row) => [row.name, row]));
  const declared = ({
    shape,
    reads,
    after,
    concurrency,
    rate,
    madeOf,
    isolated,
    looks,
    version,
    configHash,
    model,
  }: StageRegistration) =>
    JSON.stringify([
      shape,
      collectionNumbers.get(reads),
      after.map((name) => known.get(name)?.id),
      concurrency,
      rate?.limit ?? null,
      rate?.perMs ?? null,
      madeOf,
      isolated,
      looks,
      version,
      configHash.toString("hex"),
      model,
    ]);
  const isKnown = (stage: StageRegistration) => {
    const row = known.get(stage.name);
    return row !== undefined && JSON.stringify(JSON.parse(row.declared)) === declared(stage);
  };
  if (!collections.every((name) => collectionNumbers.has(name)) || !stages.every(isKnown)) return null;
  const ours = stages.map(({ name }) => known.get(name) as KnownStage);
  return {
    collections: new Map(collections.map((name) => [name, collectionNumbers.get(name) as number])),
    stages: new Map(ours.map(({ name, id }) => [name, id])),
    variants: new Map(ours.map(({ id, variant }) => [id, variant])),
  };
}

async function writeRegistered(
  db: Database,
  { collections, stages, owned = [], now }: Registration,
): Promise<Registered> {
  return await db.transaction(async (tx) => {
    // One registration at a time: an insert with a conflict locks a collection, other stages wait for the lock, and may hold
    // a stage of this registration.
    await tx.query(sql`lock table headway.collection in share row exclusive mode`);
    await takeNames(tx, owned);
    const collectionNumbers = new Map<string, number>();
    for (const name of [...collections].sort())
      collectionNumbers.set(name, await registerCollection(tx, name));
    const stageNumbers = new Map<string, number>();
    for (const stage of [...stages].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      stageNumbers.set(
        stage.name,
        await registerStage(tx, stage, collectionNumbers.get(stage.reads) as number),
      );
    }
    const variants = new Map<number, number>();
    for (const stage of stages) {
      const number = stageNumbers.get(stage.name) as number;
      const after = stage.after.map((name) => stageNumbers.get(name) as number);
      const variant = await registerVariant(tx, stage, number, now);
      variants.set(number, variant);
      await tx.query(sql`
        update headway.stage set after_stages = ${int2s(after)}, variant = ${variant} where id = ${number}`);
    }
    return { collections: collectionNumbers, stages: stageNumbers, variants };
  });
}

/** Refuses names with another meaning in another pipeline; records the owners of the rest. */
async function takeNames(tx: Queryable, owned: readonly Owned[]): Promise<void> {
  const ownership = own(owned, await readOwners(tx));
  if (ownership.kind === "refused") throw new DefinitionError(ownership.sentence);
  await writeOwners(tx, ownership);
  await tx.query(
    sql`update headway.stage set owing_after = 0 where name = any (${texts(ownership.returned)})`,
  );
}

async function registerCollection(tx: Queryable, name: string): Promise<number> {
  // Read first: an insert with a conflict uses up a number as well, of 32,767.
  const [known] = await tx.query<{ id: number }>(sql`select id from headway.collection where name = ${name}`);
  if (known) return known.id;
  const [row] = await tx.query<{ id: number }>(sql`
    insert into headway.collection (name) values (${name})
    on conflict (name) do update set name = excluded.name
    returning id`);
  return (row as { id: number }).id;
}

async function registerStage(tx: Queryable, stage: StageRegistration, reads: number): Promise<number> {
  const { name, shape, concurrency, rate, madeOf, isolated, looks } = stage;
  const [known] = await tx.query<{ id: number }>(sql`
    update headway.stage
    set shape = ${shape}, reads = ${reads}, concurrency = ${concurrency}, rate_limit = ${rate?.limit ?? null},
      rate_per_ms = ${rate?.perMs ?? null}, made_of = ${madeOf}, isolated = ${isolated}, looks = ${looks},
      owing_after = case when (shape = 'fan-in') = (${shape} = 'fan-in') and reads = ${reads} then owing_after else 0 end
    where name = ${name}
    returning id`);
  if (known) return known.id;
  const [row] = await tx.query<{ id: number }>(sql`
    insert into headway.stage (name, shape, reads, concurrency, rate_limit, rate_per_ms, made_of, isolated, looks,
      owing_after)
    values (${name}, ${shape}, ${reads}, ${concurrency}, ${rate?.limit ?? null}, ${rate?.perMs ?? null}, ${madeOf}, ${isolated},
      ${looks},
      -- Documents that are there already are owed by the workers, page by page.
      case when exists (select 1 from headway.document d where d.collection = ${reads} and d.gone_at is null) then 0 end)
    on conflict (name) do update
    set shape = excluded.shape, reads = excluded.reads, concurrency = excluded.concurrency,
      rate_limit = excluded.rate_limit, rate_per_ms = excluded.rate_per_ms, made_of = excluded.made_of,
      isolated = excluded.isolated, looks = excluded.looks
    returning id`);
  return (row as { id: number }).id;
}

async function registerVariant(
  tx: Queryable,
  stage: StageRegistration,
  number: number,
  now: Date,
): Promise<number> {
  const { version, configHash, model, config } = stage;
  const [row] = await tx.query<{ id: number }>(sql`
    insert into headway.variant (stage, version, config_hash, model, config, first_seen_at)
    values (${number}, ${version}, ${configHash}, ${model}, ${JSON.stringify(config)}::jsonb, ${now})
    on conflict (stage, version, config_hash, model) do update set model = excluded.model
    returning id`);
  return (row as { id: number }).id;
}

/** The number of a source, made known on first sight. */
export async function registerSource(db: Queryable, name: string, now: Date): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`
    insert into headway.source (name, first_seen_at) values (${name}, ${now})
    on conflict (name) do update set name = excluded.name
    returning id`);
  return (row as { id: number }).id;
}

export interface StageRow {
  readonly id: number;
  readonly name: string;
  readonly shape: string;
  readonly reads: number;
  readonly after_stages: readonly number[];
  readonly concurrency: number | null;
  readonly rate_limit: number | null;
  readonly rate_per_ms: number | null;
  /** Settings changed by operators; null: none. */
  readonly settings: SetSettings | null;
  /** How far documents from before the stage are owed to it; null: all are. */
  readonly owing_after: number | null;
  readonly paused_at: Date | null;
  readonly paused_by: string | null;
  readonly paused_reason: string | null;
}

/** All stages ever registered, with or without code in this process. */
export async function listStages(db: Queryable): Promise<StageRow[]> {
  return await db.query<StageRow>(sql`
    select id, name, shape, reads, after_stages, concurrency, rate_limit, rate_per_ms, settings, owing_after, paused_at, paused_by, paused_reason
    from headway.stage
    order by id`);
}

export const listCollections = (db: Queryable) =>
  db.query<{ id: number; name: string }>(sql`select id, name from headway.collection order by id`);

export async function setPaused(
  db: Queryable,
  { stage, paused }: { stage: number; paused: { at: Date; by: string; reason: string | null } | null },
): Promise<boolean> {
  const rows = await db.query(sql`
    update headway.stage
    set paused_at = ${paused?.at ?? null}, paused_by = ${paused?.by ?? null}, paused_reason = ${paused?.reason ?? null}
    where id = ${stage} and (paused_at is null) = ${paused !== null}
    returning 1`);
  return rows.length > 0;
}
