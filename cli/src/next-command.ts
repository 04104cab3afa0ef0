import type { Named, StageExplanation } from "@headway/engine/operate";
import { namingWords, shellWord } from "./find-named.ts";

/** The next command for a document at a stage; null: nothing to do. */
export function nextCommand(
  named: Pick<Named, "collection" | "stage" | "id">,
  stage: StageExplanation,
): string | null {
  // At a fan-in stage the group stands for the document.
  const target =
    stage.group === null || named.collection === null
      ? named
      : { collection: null, stage: stage.stage, id: stage.group };
  const words = namingWords(target);
  const atStage = target.collection === null ? "" : ` --stage ${shellWord(stage.stage)}`;
  switch (stage.because) {
    case "dead":
    case "settled":
      return `headway failed inspect ${stage.deadLetter}`;
    case "paused":
      return `headway resume ${shellWord(stage.stage)}`;
    case "no worker":
      return "headway up";
    case "running":
      return "headway workers";
    case "dependency":
    case "due":
      return "headway status --watch";
    case "backoff":
    case "scheduled":
    case "later":
    case "quiet":
      return `headway retry ${words}${atStage}`;
    case "members":
      return stage.members?.first[0] === undefined
        ? `headway retry ${words}${atStage}`
        : `headway explain ${shellWord(stage.members.first[0])}`;
    case "stale":
    case "unexpected":
      return `headway reprocess --stage ${shellWord(stage.stage)} --ids ${shellWord(target.id)}`;
    case "forgotten":
      return "headway sweep --once";
    case "deleted":
      return "headway up";
    case "done":
      return null;
  }
}
