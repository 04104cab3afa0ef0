import { stage } from "@headway/engine";
import { excerpts, pages, plans } from "../collections.ts";
import { cutExcerpts } from "../excerpts.ts";
import { excerptId } from "../identity.ts";
import { pageAsPlanned } from "../page-as-planned.ts";

/** A page becomes what is searched: passages under their headings. */
export const excerpting = stage("excerpting", {
  reads: plans,
  writes: [excerpts],
  version: "2",
  looks: { own: { of: pages, ids: ({ id }) => [id] } },
  retry: { attempts: 5 },
  *run(plan, { own }) {
    const { manual, number, label, title, language, contents, standing } = plan;
    if (contents || (standing !== "good" && standing !== "partly-picture")) return;
    const page = pageAsPlanned(own[0], plan.digest);
    const seen = new Map<string, number>();
    for (const { crumbs, text } of cutExcerpts(plan, page)) {
      const ordinal = seen.get(text) ?? 0;
      seen.set(text, ordinal + 1);
      const body = { manual, title, page: number, label, language, crumbs, text };
      yield excerpts.document(excerptId(manual, number, text, ordinal), body);
    }
  },
});
