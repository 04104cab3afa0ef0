import { DefinitionError } from "../define/definition-error.ts";
import {
  changedSettings,
  type SettingName,
  type SettingsChange,
  type StageSettings,
  settingDefaults,
  settingNames,
  settingsOf,
  settingsProblem,
} from "../define/stage-settings.ts";
import type { StageRow } from "../store/registry.ts";
import {
  readSettingHistory,
  type SettingHistoryRow,
  type SettingsWrite,
  setValues,
  writeSettings,
} from "../store/stage-settings.ts";
import {
  type DryRun,
  type Operating,
  perform,
  readCode,
  readDirectory,
  record,
  tellControls,
  tellWork,
} from "./context.ts";

/** A setting in force at a stage, with its origin. */
export interface SettingInForce {
  readonly stage: string;
  readonly setting: SettingName;
  readonly value: StageSettings[SettingName];
  /** `default`: set neither by an operator nor by the available code. */
  readonly from: "operator" | "code" | "default";
  readonly changedAt: Date | null;
  readonly changedBy: string | null;
}

/** Settings in force for every stage. */
export async function listSettings(context: Operating): Promise<SettingInForce[]> {
  const { stages } = await readDirectory(context);
  const codeOf = await readCode(context);
  return stages.flatMap((row) => {
    const code = codeOf(row.name);
    const declared = declaredSettings(row, code && settingsOf(code));
    return settingNames.map((setting): SettingInForce => {
      const set = row.settings?.[setting];
      const line = { stage: row.name, setting };
      if (set)
        return {
          ...line,
          value: set.value,
          from: "operator",
          changedAt: new Date(set.at),
          changedBy: set.by,
        };
      const known = code !== undefined || setting === "concurrency" || setting === "rate";
      const from = known ? "code" : "default";
      return { ...line, value: declared[setting], from, changedAt: null, changedBy: null };
    });
  });
}

/** Without code, the limits of the newest code are in the database. */
const declaredSettings = (row: StageRow, code: StageSettings | undefined): StageSettings =>
  code ?? {
    ...settingDefaults,
    concurrency: row.concurrency,
    rate:
      row.rate_limit === null || row.rate_per_ms === null
        ? null
        : { limit: row.rate_limit, perMs: row.rate_per_ms },
  };

/** Changes settings of a stage while workers run; omitted fields stay. Impossible values are refused. */
export async function setSettings(
  context: Operating,
  { stage, change, why }: { stage: string; change: SettingsChange; why?: string },
  { dryRun = false }: DryRun = {},
): Promise<StageSettings> {
  const row = (await readDirectory(context)).stage(stage);
  const code = (await readCode(context))(stage);
  const changed = changedSettings(change);
  const inForce = {
    ...declaredSettings(row, code && settingsOf(code)),
    ...setValues(row.settings),
    ...changed,
  };
  const problem = settingsProblem(inForce);
  if (problem) throw new DefinitionError(`The settings of "${stage}" are refused: ${problem}.`);
  if (Object.keys(changed).length === 0)
    throw new DefinitionError("Say what to change: timeout, concurrency, rate or priority.");
  if (!dryRun) await write(context, { stage: row, change: changed, why });
  return inForce;
}

/** Takes an operator's setting back: the code's setting holds again. Without an operator's setting nothing happens. */
export async function resetSetting(
  context: Operating,
  { stage, setting, why }: { stage: string; setting: SettingName; why?: string },
  { dryRun = false }: DryRun = {},
): Promise<{ changed: boolean }> {
  const row = (await readDirectory(context)).stage(stage);
  if (!settingNames.includes(setting))
    throw new DefinitionError(`There is no setting "${setting}"; there are: ${settingNames.join(", ")}.`);
  const changed = row.settings?.[setting] !== undefined;
  if (changed && !dryRun) await write(context, { stage: row, change: { [setting]: undefined }, why });
  return { changed };
}

/** Changes of settings by people, newest first. */
export const settingHistory = (
  { database }: Operating,
  { stage, limit = 100 }: { stage?: string; limit?: number } = {},
): Promise<SettingHistoryRow[]> => readSettingHistory(database, stage ?? null, limit);

async function write(
  context: Operating,
  { stage, change, why }: Pick<SettingsWrite, "change"> & { stage: StageRow; why: string | undefined },
): Promise<void> {
  const { actor, clock } = context;
  await perform(context, async (tx) => {
    await writeSettings(tx, { stage, change, by: actor, why: why ?? null, now: clock.now() });
    const reset = Object.values(change).every((value) => value === undefined);
    const detail = { settings: reset ? Object.keys(change) : change };
    await record(tx, context, { act: reset ? "stage.reset" : "stage.set", target: stage.name, why, detail });
  });
  await tellControls(context);
  // A raised limit makes room for tasks that no worker looks for until the next poll.
  await tellWork(context, [stage.id]);
}
