/** Headings of `headway --help`, with their commands; commands without a heading are the application's own. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "Start:": ["tour", "init", "up", "work", "serve", "accept", "console"],
  "Mailing lists:": [
    "ingest",
    "threads",
    "report",
    "search",
    "ask",
    "people",
    "export",
    "publish",
    "compare",
    "attachments",
  ],
  "Manuals:": ["manuals"],
  "Sources and reports:": ["sources", "subscriptions"],
  "See where documents are:": [
    "status",
    "explain",
    "trace",
    "logs",
    "documents",
    "workers",
    "events",
    "conflicts",
    "unexpected",
    "audit",
  ],
  "Act on documents:": ["failed", "retry", "reprocess", "cancel", "delete", "note"],
  "Steer stages:": ["pause", "resume", "policies", "settings", "sweep"],
  "Watch:": ["alerts", "errors", "doctor", "verify"],
  "Keep and move data:": ["backup", "restore", "move", "snapshot"],
  "Develop:": ["drill", "bench", "schema", "config", "access", "completion"],
};

const headings = new Map(
  Object.entries(groups).flatMap(([heading, names]) => names.map((name) => [name, heading] as const)),
);

export const headingOf = (command: string): string => headings.get(command) ?? "Of this application:";

/** Commands in the order of the headings. */
export const byHeading = (a: string, b: string): number => placeOf(a) - placeOf(b);

const order = [...headings.keys()];
const placeOf = (name: string): number => (headings.has(name) ? order.indexOf(name) : order.length);
