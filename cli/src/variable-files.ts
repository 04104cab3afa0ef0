import { readFileSync, statSync } from "node:fs";
import { exitCodes, Refusal } from "./exit-codes.ts";

/** A secret or an address; a larger file is something else. */
const bytesMax = 65_536;

/**
 * Values of variables that are given as files, as container secrets are: HEADWAY_LLM_KEY_FILE=/run/secrets/key stands for
 * HEADWAY_LLM_KEY. The last line break of a file is not part of the value.
 */
export function readVariableFiles(
  variables: Readonly<Record<string, string | undefined>>,
  isKnown: (name: string) => boolean,
): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [named, file] of Object.entries(variables)) {
    const name = /^((?:HEADWAY|RETRY)_\w+|PUSHGATEWAY_URL)_FILE$/.exec(named)?.[1];
    if (name === undefined || !file || !isKnown(name) || isKnown(named)) continue;
    if (variables[name])
      throw new Refusal(`Both ${name} and ${named} are set: unset one of them.`, exitCodes.usage);
    read[name] = readValue(named, file);
  }
  return read;
}

function readValue(named: string, file: string): string {
  try {
    const { size } = statSync(file);
    if (size > bytesMax)
      throw new Refusal(`${named} names ${file}, which is larger than 64 kB.`, exitCodes.usage);
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const reason = (error as Error).message;
    throw new Refusal(`${named} names ${file}, which cannot be read: ${reason}`, exitCodes.usage);
  }
}
