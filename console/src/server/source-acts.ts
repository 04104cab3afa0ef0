import { DefinitionError } from "@headway/engine";
import { type ActKind, type ActPlaces, call, counted, type Fields, type Planned, plain } from "./planned.ts";
import type { ScheduledSource, Steering } from "./schedules.ts";

/** Acts on sources: reading now, pausing, deleting. */
export const sourceActs: Readonly<Record<string, ActKind>> = {
  readSource: (_operator, { source }, places) =>
    planSteering(places, source, "run", ({ name, place, paused }) => ({
      title: `Read ${name} now`,
      sentences: [
        `A worker reads ${place} within seconds; known content is left alone.`,
        ...(paused ? ["The source is paused: it runs once, and stays paused."] : []),
      ],
      changes: true,
      button: "Read now",
      sentence: "A run is due: its line appears here when a worker begins.",
    })),

  pauseSource: (_operator, { source }, places) =>
    planSteering(places, source, "pause", ({ name, paused }) => ({
      title: `Pause ${name}`,
      sentences: paused
        ? [`${name} is paused already.`]
        : ["No run begins until somebody resumes the source. A run at work now is finished."],
      changes: paused === null,
      button: "Pause",
      sentence: `${name} is paused.`,
    })),

  resumeSource: (_operator, { source }, places) =>
    planSteering(places, source, "resume", ({ name, paused, schedule }) => ({
      title: `Resume ${name}`,
      sentences: [paused ? `The source is read again: ${schedule}.` : `${name} is not paused.`],
      changes: paused !== null,
      button: "Resume",
      sentence: `${name} goes on.`,
    })),

  async deleteSource(operator, { source }) {
    const dry = await call<{ deleted: number; kept: number }>(operator, "deleteSource", source, {
      dryRun: true,
    });
    const shared = `${counted(dry.kept, "document")} that other sources brought as well stay.`;
    return {
      ...plain,
      title: `Delete the source ${source}`,
      sentences: [
        `${counted(dry.deleted, "document")} brought by it disappear at once, with all that was made from them.`,
        ...(dry.kept > 0 ? [shared] : []),
      ],
      count: dry.deleted + dry.kept,
      button: "Delete",
      typed: dry.deleted + dry.kept > 0 ? String(source) : null,
      async run(one, { why }) {
        const { deleted } = await call<{ deleted: number }>(one, "deleteSource", source, { why });
        return { sentence: `${counted(deleted, "document")} deleted.`, act: null };
      },
    };
  },
};

interface Told {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly changes: boolean;
  readonly button: string;
  /** Said after the act. */
  readonly sentence: string;
}

async function planSteering(
  { schedules }: ActPlaces,
  source: Fields[string],
  verb: Steering["verb"],
  tell: (found: ScheduledSource) => Told,
): Promise<Planned> {
  const name = String(source);
  const found = await schedules?.show(name);
  if (!schedules || !found) throw new DefinitionError(`No source "${name}" is read on a schedule.`);
  const { changes, sentence, ...told } = tell(found);
  return {
    ...plain,
    ...told,
    count: changes ? 1 : 0,
    async run(_, { why, actor }) {
      const changed = await schedules.steer(name, { verb, actor, why });
      return { sentence: changed ? sentence : "Somebody else was faster: nothing changed.", act: null };
    },
  };
}
