/**
 * The same acts for every peer. A peer is { add(id), addMany(ids), work(run), pipeline(documents) }: it hands in jobs that
 * carry nothing but a number, starts a worker that calls `run(id)` for each, and builds the three stages as well as it can.
 */
export const acts = { completions, enqueue, wake, hold, pipeline };

/** From the first call of an empty handler to the last; what comes before and after it is not counted. */
async function completions(peer, { count }) {
  await addAll(peer, count);
  let [done, first, last] = [0, 0, 0];
  const finished = new Promise((resolve) => {
    const run = () => {
      last = performance.now();
      first ||= last;
      if (++done === count) resolve();
    };
    void peer.work(run);
  });
  await finished;
  return { perSecond: (count / (last - first)) * 1_000 };
}

/** Many at once if the peer can, else fifty calls under way. */
async function addAll(peer, count) {
  if (!peer.addMany) return await atOnce(50, count, peer.add);
  for (let at = 0; at < count; at += bulkSize) {
    await peer.addMany(Array.from({ length: Math.min(bulkSize, count - at) }, (_, index) => at + index));
  }
}
const bulkSize = 1_000;

async function atOnce(lanes, count, act) {
  let next = 0;
  const lane = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function enqueue(peer, { count }) {
  const rate = async (jobs, act) => {
    const from = performance.now();
    await act(jobs);
    return (jobs / (performance.now() - from)) * 1_000;
  };
  await peer.add(0);
  return {
    oneByOne: await rate(count / 20, (jobs) => atOnce(1, jobs, peer.add)),
    concurrent: await rate(count / 4, (jobs) => atOnce(50, jobs, peer.add)),
    ...(peer.addMany && { bulk: await rate(count, (jobs) => addAll(peer, jobs)) }),
  };
}

/** From the moment a job is handed in until its handler begins, on an idle worker. */
async function wake(peer, { count }) {
  let begun = () => undefined;
  await peer.work(() => begun(performance.now()));
  const times = [];
  for (let round = -warmUps; round < count; round++) {
    const began = new Promise((resolve) => (begun = resolve));
    const handedIn = peer.add(round + warmUps).then(() => performance.now());
    const [from, until] = await Promise.all([handedIn, began]);
    if (round >= 0) times.push(Math.max(0, until - from));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { times };
}
const warmUps = 5;

/** Takes a job and never lets go of it, until somebody kills the process. */
async function hold(peer, { handIn }, tell) {
  await peer.work((id) => {
    tell({ kind: "begun", id });
    return new Promise(() => undefined);
  });
  tell({ kind: "ready" });
  if (handIn) await peer.add(0);
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

/** Documents through three stages, each of which writes one document of 1 KB and owes the next stage. */
async function pipeline(peer, { count }) {
  const text = "lorem ipsum dolor sit amet, ".repeat(40).slice(0, 1_000);
  const documents = Array.from({ length: count }, (_, index) => ({
    id: String(index).padStart(12, "0"),
    body: { kind: "mail", text },
  }));
  const from = performance.now();
  await peer.pipeline(documents);
  return { documentsPerSecond: (count / (performance.now() - from)) * 1_000 };
}
