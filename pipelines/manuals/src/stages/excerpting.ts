import { stage } from "@headway/engine";
import { excerpts, plans } from "../collections.ts";
import { cutExcerpts } from "../excerpts.ts";
import { excerptId, pageId } from "../identity.ts";
import { shelf } from "../services.ts";

/** A page becomes what is searched: passages under their headings. */
export const excerpting = stage("excerpting", {
  reads: plans,
  writes: [excerpts],
  needs: [shelf],
  retry: { attempts: 5 },
  async *run(plan, { shelf }) {
    const { manual, number, label, title, language, contents, standing } = plan;
    if (contents || (standing !== "good" && standing !== "partly-picture")) return;
    const page = await shelf.page(pageId(manual, number), plan.digest);
    const seen = new Map<string, number>();
    for (const { crumbs, text } of cutExcerpts(plan, page)) {
      const ordinal = seen.get(text) ?? 0;
      seen.set(text, ordinal + 1);
      const body = { manual, title, page: number, label, language, crumbs, text };
      yield excerpts.document(excerptId(manual, number, text, ordinal), body);
    }
  },
});
