import { readSettings, type Settings, staticModelName, staticModelProblem } from "@headway/consensus";
import { type Finding, findingsOf } from "./finding.ts";

/** The models, and the servers that are asked for theirs. */
export async function checkModels(environment = process.env): Promise<Finding[]> {
  const { bad } = findingsOf("settings");
  let settings: Settings;
  try {
    settings = readSettings(environment);
  } catch (error) {
    return [bad(`${(error as Error).message} See all settings with "headway config".`)];
  }
  return [await checkEmbedder(settings), await checkSummarizer(settings)];
}

async function checkEmbedder({ embedder, embedderKey }: Settings): Promise<Finding> {
  const { ok, bad } = findingsOf("embedding");
  if (embedder === "static") {
    const problem = staticModelProblem();
    return problem === null
      ? ok(`The built-in model ${staticModelName} is whole.`)
      : bad(`The built-in model ${staticModelName} is damaged, ${problem}: install Headway again.`);
  }
  if (embedder === "minilm") return ok("MiniLM is used; whether it is installed shows when it is started.");
  const problem = await askServer(embedder, embedderKey);
  return problem === null
    ? ok(`The server at ${hostOf(embedder)} answers.`)
    : bad(
        `The server at ${hostOf(embedder)} ${problem}: ${adviceOf(problem, "HEADWAY_EMBEDDER and HEADWAY_EMBEDDER_KEY")}.`,
      );
}

async function checkSummarizer({ llmUrl, llmKey }: Settings): Promise<Finding> {
  const { ok, bad } = findingsOf("summaries");
  if (!llmUrl) return ok("Summaries are made offline.");
  const problem = await askServer(llmUrl, llmKey);
  return problem === null
    ? ok(`The language model at ${hostOf(llmUrl)} answers.`)
    : bad(
        `The language model at ${hostOf(llmUrl)} ${problem}: ${adviceOf(problem, "HEADWAY_LLM_URL and HEADWAY_LLM_KEY")}.`,
      );
}

const adviceOf = (problem: string, settings: string): string =>
  problem.startsWith("refuses")
    ? `check ${settings}`
    : `bring it back, or check ${settings}; what needs it waits and loses nothing`;

const askMs = 5_000;

/** Whether anybody answers at all, and knows our key: not every server lists its models. */
async function askServer(address: string, key: string | null): Promise<string | null> {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/{1,20}$/, "")}/models`;
  url.username = "";
  url.password = "";
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(askMs),
      headers: key ? { authorization: `Bearer ${key}` } : {},
    });
    await answer.body?.cancel();
    if (answer.status === 401 || answer.status === 403) return `refuses our key (${answer.status})`;
    return answer.status >= 500 ? `fails (${answer.status})` : null;
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: { code?: string } };
    return `does not answer (${cause?.code ?? message})`;
  }
}

const hostOf = (address: string): string => new URL(address).host;
