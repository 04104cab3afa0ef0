import pg from "pg";

export const stages = ["first", "second", "third"];

/** Where peers keep documents and markers: the same facts that Headway keeps, in the plainest tables that hold them. */
export async function openDocuments(url, max) {
  const pool = new pg.Pool({ connectionString: url, max });
  await pool.query(`
    create table if not exists document (stage text, id text, body jsonb not null, primary key (stage, id));
    create table if not exists done (stage text, id text, finished_at timestamptz not null, primary key (stage, id))`);
  return pool;
}

/** One statement writes outputs and markers of a batch; written again they are the same again. */
export const writeDocuments = (client, stage, documents) =>
  run(
    client,
    `with outputs as (
       insert into document (stage, id, body)
       select $1, d.id, d.body::jsonb from unnest($2::text[], $3::text[]) as d (id, body)
       on conflict (stage, id) do update set body = excluded.body
     )
     insert into done (stage, id, finished_at)
     select $1, d.id, now() from unnest($2::text[]) as d (id)
     on conflict (stage, id) do update set finished_at = excluded.finished_at`,
    [stage, documents.map(({ id }) => id), documents.map(({ body }) => JSON.stringify(body))],
  );

// pg-boss hands out a transaction of its own make.
const run = (client, text, values) =>
  client.executeSql ? client.executeSql(text, values) : client.query(text, values);

/** Resolves when so many documents have left the last stage. */
export function countDown(count) {
  let left = count;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  const leave = (documents) => {
    left -= documents;
    if (left === 0) finish();
  };
  return { finished, leave };
}

export const stageAfter = (stage) => stages[stages.indexOf(stage) + 1];
