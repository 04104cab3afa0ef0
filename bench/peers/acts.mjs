/**
 * The same acts for every peer. A peer is { add(id), addMany(ids), work(run), left(), pipeline(documents) }: it hands in jobs that
 * carry nothing but a number, starts a worker that calls `run(id)` for each, and builds the three stages as well as it can.
 */
export const acts = { completions, enqueue, wake, hold, pipeline };

/**
 * From the moment a fifth of the empty handlers have run, when everything is warm, until the peer has written down that all of
 * its jobs are done; who cannot say how many are left is measured until the last handler.
 */
async function completions(peer, { count }) {
  await addAll(peer, count);
  const warm = Math.floor(count / 5);
  let [done, from] = [0, 0];
  const finished = new Promise((resolve) => {
    const run = () => {
      done += 1;
      if (done === warm) from = performance.now();
      if (done === count) resolve();
    };
    void peer.work(run);
  });
  await finished;
  while (peer.left && (await peer.left()) > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  return { perSecond: ((count - warm) / (performance.now() - from)) * 1_000 };
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
  const whole = [];
  for (let round = -warmUps; round < count; round++) {
    const began = new Promise((resolve) => (begun = resolve));
    const calledAt = performance.now();
    const handedIn = peer.add(round + warmUps).then(() => performance.now());
    const [from, until] = await Promise.all([handedIn, began]);
    if (round >= 0) times.push(Math.max(0, until - from));
    if (round >= 0) whole.push(until - calledAt);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { times, whole };
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
