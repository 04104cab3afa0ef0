import { type StageSettings, settingsOf } from "../define/stage-settings.ts";
import type { StageRow } from "../store/registry.ts";
import { setValues } from "../store/stage-settings.ts";
import type { PlannedStage } from "./graph.ts";

/** Settings of stages: the code's, with the operators' changes as last read. */
export interface SettingsInForce {
  of(plan: Pick<PlannedStage, "number" | "stage">): StageSettings;
  read(stages: readonly Pick<StageRow, "id" | "settings">[]): void;
}

export function makeSettingsInForce(): SettingsInForce {
  let changed = new Map<number, Partial<StageSettings>>();
  const merged = new Map<number, StageSettings>();
  return {
    of({ number, stage }) {
      const known = merged.get(number);
      if (known) return known;
      const made = { ...settingsOf(stage), ...changed.get(number) };
      merged.set(number, made);
      return made;
    },
    read(stages) {
      merged.clear();
      changed = new Map(
        stages.flatMap(({ id, settings }) => (settings ? [[id, setValues(settings)] as const] : [])),
      );
    },
  };
}
