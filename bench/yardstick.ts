import pg from "pg";

/** Commits of one small row per second by so many clients at once: what the disk and the server allow anybody. */
export async function commitsPerSecond(url: string, clients: number, seconds: number): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  const [first] = connections as [pg.Client];
  await first.query("create table if not exists headway_yardstick (number bigint)");
  const until = performance.now() + seconds * 1_000;
  let commits = 0;
  await Promise.all(
    connections.map(async (client) => {
      while (performance.now() < until) {
        await client.query({
          name: "yard",
          text: "insert into headway_yardstick values ($1)",
          values: [commits],
        });
        commits += 1;
      }
    }),
  );
  await first.query("drop table headway_yardstick");
  await Promise.all(connections.map((client) => client.end()));
  return commits / seconds;
}
