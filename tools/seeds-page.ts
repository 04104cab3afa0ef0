import { type Evidence, seedRequirements } from "./seed-requirements.ts";

const titles: Readonly<Record<string, string>> = {
  "000": "Forward progress patterns and recovery",
  "001": "Document retry policy",
  "002": "Event retry mechanism for race conditions",
  "003": "Forward progress patterns, second edition",
  "004": "Error handling and retry architecture",
};

export function seedsPage(madeBy: string): string {
  const all = Object.values(seedRequirements).flat();
  const missing = all.filter(({ shown }) => "open" in shown).length;
  const sections = Object.entries(seedRequirements).map(([number, rows]) => {
    const lines = rows.map(({ asks, shown }, at) => `| ${number}.${at + 1} | ${asks} | ${tell(shown)} |`);
    return `## ${number}: ${titles[number]}\n\n| row | asked for | shown by |\n|---|---|---|\n${lines.join("\n")}`;
  });
  return `# Requirements of the seeds

${madeBy}

Five documents describe the systems that Headway replaces. Each row is a requirement of one document, with the test, command or
page that shows it, or the ruling that replaces it where the documents contradict each other. Of ${all.length} rows ${missing} are open.

${sections.join("\n\n")}
`;
}

function tell(shown: Evidence): string {
  if ("test" in shown) return `test \`${shown.test}\`: ${shown.title}`;
  if ("command" in shown) return `\`${shown.command}\``;
  if ("page" in shown) return `[${shown.page}](../../${shown.page})`;
  if ("ruling" in shown) return `ruling: ${shown.ruling}`;
  return `**open**: ${shown.open}`;
}
