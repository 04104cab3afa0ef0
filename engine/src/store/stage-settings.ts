import type { SettingName, StageSettings } from "../define/stage-settings.ts";
import type { Queryable } from "./database.ts";
import { sql } from "./sql.ts";

/** A setting as an operator left it. */
export interface SetSetting<Value = unknown> {
  readonly value: Value;
  readonly at: string;
  readonly by: string;
}

/** Settings changed by operators, as kept with the stage. */
export type SetSettings = { readonly [Name in SettingName]?: SetSetting<StageSettings[Name]> };

/** The values alone. */
export const setValues = (settings: SetSettings | null): Partial<StageSettings> =>
  Object.fromEntries(Object.entries(settings ?? {}).map(([name, { value }]) => [name, value]));

export interface SettingsWrite {
  readonly stage: { readonly id: number; readonly name: string };
  /** Undefined takes a setting back. */
  readonly change: { readonly [Name in SettingName]?: StageSettings[Name] | undefined };
  readonly by: string;
  readonly why: string | null;
  readonly now: Date;
}

/** Changes settings and records the previous values; call in a transaction. */
export async function writeSettings(tx: Queryable, given: SettingsWrite): Promise<void> {
  const { stage, change, by, why, now } = given;
  const [row] = await tx.query<{ settings: SetSettings | null }>(
    sql`select settings from headway.stage where id = ${stage.id} for no key update`,
  );
  const before: Record<string, SetSetting> = { ...row?.settings };
  const after = { ...before };
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) delete after[name];
    else after[name] = { value, at: now.toISOString(), by };
    const json = (one: SetSetting | undefined) => (one ? JSON.stringify(one.value) : null);
    await tx.query(sql`
      insert into headway.stage_setting_history (stage, setting, before, after, changed_at, changed_by, why)
      values (${stage.name}, ${name}, ${json(before[name])}::jsonb, ${json(after[name])}::jsonb, ${now}, ${by}, ${why})`);
  }
  const settings = Object.keys(after).length > 0 ? JSON.stringify(after) : null;
  await tx.query(sql`update headway.stage set settings = ${settings}::jsonb where id = ${stage.id}`);
}

/** A change of a stage's setting. */
export interface SettingHistoryRow {
  readonly stage: string;
  readonly setting: SettingName;
  /** Null: the code's setting. */
  readonly before: unknown;
  readonly after: unknown;
  /** True: an operator took the limit away. */
  readonly unlimited: boolean;
  readonly changed_at: Date;
  readonly changed_by: string;
  readonly why: string | null;
}

/** Changes of settings, newest first. */
export const readSettingHistory = (db: Queryable, stage: string | null, limit: number) =>
  db.query<SettingHistoryRow>(sql`
    select stage, setting, before, after, coalesce(jsonb_typeof(after) = 'null', false) as unlimited, changed_at, changed_by, why
    from headway.stage_setting_history
    where ${stage}::text is null or stage = ${stage}::text
    order by id desc
    limit ${limit}`);
