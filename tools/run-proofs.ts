import { parseArgs } from "node:util";
import { addCounts, countLine, tellAtTheEnd } from "./counts.ts";
import { buildBudget, type ProofPlan, planProofs, prove } from "./proofs.ts";

const help = `Runs every proof in a fixed order with fixed seeds, as the build machine does after \`npm test\`.

  npm run proofs                   crash sweep, simulation, alerts, kills of real processes, storms
  npm run proofs -- --only storm   those whose title has this word in it
  npm run proofs -- --list         what would be run`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});

const commandOf = ({ script, args }: ProofPlan) => `npm run ${script} -- ${args.join(" ")}`;

/** A failed proof is repeated once and reported: real servers on a busy machine have bad luck at times. */
async function holds(plan: ProofPlan): Promise<boolean> {
  for (const again of [false, true]) {
    console.log(`\n${plan.title}${again ? ", once more" : ""}: ${commandOf(plan)}`);
    const { held, figures, tookSeconds } = await prove(plan);
    console.log(figures.map(([name, value]) => `  ${name}: ${value}`).join("\n"));
    const word = held
      ? again
        ? "FAILED ONCE, HELD WHEN TRIED AGAIN"
        : "held"
      : again
        ? "BROKEN TWICE"
        : "BROKEN";
    tellAtTheEnd(`  proof ${word}, ${tookSeconds} s: ${plan.title} (${commandOf(plan)})`);
    if (held) return true;
  }
  return false;
}

async function main(): Promise<number> {
  const wanted = values.only.toLowerCase();
  const plans = planProofs(buildBudget).filter(({ title }) => title.toLowerCase().includes(wanted));
  if (values.list) {
    for (const plan of plans) console.log(`${plan.title}: ${commandOf(plan)}`);
    return 0;
  }
  let sum = addCounts();
  for (const plan of plans) sum = addCounts(sum, (await holds(plan)) ? { passed: 1 } : { failed: 1 });
  const exitCode = sum.failed === 0 && sum.passed > 0 ? 0 : 1;
  console.log(countLine(sum, exitCode));
  return exitCode;
}

if (values.help) console.log(help);
else process.exitCode = await main();
