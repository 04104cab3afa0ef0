import { collection, type DocumentOf, pipeline, service, stage } from "@headway/engine";
import { z } from "zod";
import type { ReportTarget } from "./spec.ts";

/** A report owed to a subscription. */
export const editions = collection(
  "report_editions",
  z.object({
    subscription: z.string(),
    edition: z.int(),
    due: z.iso.datetime(),
    asked: z.enum(["schedule", "operator"]),
  }),
);

const version = z.object({
  list: z.string(),
  title: z.string(),
  lastDate: z.string().nullable(),
  messages: z.int(),
  people: z.int(),
  level: z.enum(["strong", "rough", "contested", "none", "undecided"]).nullable(),
  confidence: z.number().nullable(),
  line: z.string(),
  decisions: z.array(z.object({ by: z.string(), quote: z.string() })),
});

/** A report as sent. Reports are kept, so every version of a summary can be looked at. */
export const reports = collection(
  "reports",
  z.object({
    subscription: z.string(),
    edition: z.int(),
    /** Mails with the same name are a single thread. */
    thread: z.string(),
    subject: z.string(),
    markdown: z.string(),
    html: z.string(),
    entries: z.array(
      z.object({ thread: z.string(), version, changes: z.array(z.string()), link: z.string().nullable() }),
    ),
    more: z.int(),
    at: z.iso.datetime(),
  }),
);
export type Report = DocumentOf<typeof reports>;

/** A report owed to a recipient. */
export const deliveries = collection(
  "report_deliveries",
  z.object({
    subscription: z.string(),
    report: z.string(),
    kind: z.enum(["mail", "webhook", "slack", "feed"]),
    to: z.string(),
  }),
);

/** The mark of a delivery: a report with a mark is never sent again. */
export const receipts = collection(
  "report_receipts",
  z.object({ subscription: z.string(), report: z.string(), to: z.string(), sentAt: z.iso.datetime() }),
);

export type MadeReport = Omit<Report, "subscription" | "edition">;

export interface Reporter {
  make(edition: DocumentOf<typeof editions>): Promise<{
    readonly reports: readonly MadeReport[];
    readonly targets: readonly ReportTarget[];
  }>;
}

export interface Courier {
  /** Sends a report under the same id in every attempt; resolves with the time. */
  deliver(
    delivery: DocumentOf<typeof deliveries>,
    options: { readonly signal: AbortSignal },
  ): Promise<string>;
}

const reporter = service("reporter").as<Reporter>();
const courier = service("courier").as<Courier>();

/** Threads with changes since the last report become a report, owed to every recipient. */
const reporting = stage("reporting", {
  reads: editions,
  writes: [reports, deliveries],
  needs: [reporter],
  announces: { done: "ReportPublished" },
  async *run(edition, { reporter }) {
    const { subscription, edition: number } = edition;
    const made = await reporter.make(edition);
    for (const { id, ...report } of made.reports) {
      yield reports.document(id, { subscription, edition: number, ...report });
      for (const { kind, to } of made.targets)
        yield deliveries.document(`${id}/${kind}/${to}`, { subscription, report: id, kind, to });
    }
  },
});

/** A report is sent to a recipient: at least once, under a stable id, and marked once. */
const delivering = stage("delivering", {
  reads: deliveries,
  writes: [receipts],
  needs: [courier],
  announces: { failed: "ReportUndelivered" },
  retry: {
    transient: { attempts: 12, initial: "30s", max: "1h", ttl: null },
    "rate-limited": { attempts: 100, initial: "30s", max: "1h", ttl: null },
  },
  timeout: "1m",
  // The recipient: never the courier as a whole, or a single lost host would hold all recipients.
  classify: (thrown) => ({
    dependency: (thrown as { dependency?: string } | null)?.dependency ?? "a recipient",
  }),
  async *run(delivery, { courier, signal }) {
    const { id, subscription, report, to } = delivery;
    yield receipts.document(id, {
      subscription,
      report,
      to,
      sentAt: await courier.deliver(delivery, { signal }),
    });
  },
});

const reportMigrations = new URL("../../migrations/reports/", import.meta.url);

export const makeReportsPipeline = () =>
  pipeline("reports", { stages: [reporting, delivering], migrations: reportMigrations, fixes: reportFixes });

export const reportFixes = {
  "report.mail-server": "Set HEADWAY_SMTP_URL for the workers, then: headway retry DOCUMENT",
  "report.*": "Look at the subscription with: headway subscriptions show NAME",
};
