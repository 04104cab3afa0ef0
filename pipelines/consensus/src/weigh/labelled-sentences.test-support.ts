import type { Stance } from "./findings.ts";

/**
 * Sentences as people write them on lists, each alone in a mail that answers a proposal, with where its writer stands;
 * `nothing` where it says nothing about that. Every third one is held out: rules were not tuned on it.
 */
export const labelled: readonly (readonly [Stance | "nothing", string])[] = table(`
support  | I support adoption of this document.
support  | I've read the latest revision and support its publication as Proposed Standard.
support  | Support.
support  | Strong support from our side; we have two implementations.
support  | I am in favour of the WG taking this on.
support  | We're very much in favor of this.
support  | I fully support moving this forward.
support  | Yes, support adoption, and I am willing to review.
support  | As an implementer, I support this work.
support  | I think the draft is ready for WGLC.
support  | This document is ready for publication.
support  | Works for me.
support  | LGTM, thanks for the quick turnaround.
support  | Looks good to me.
support  | I have no objection to the new text.
support  | No objections here.
support  | I'm not opposed to this.
support  | I can live with it.
support  | I don't object to adopting the document.
support  | I wouldn't be opposed to a short delay-free merge of this.
support  | I no longer object.
support  | +1
support  | +1 (binding)
support  | Big +1 from me, we needed that for years.
support  | Awesome! +1
support  | here's my +1
support  | I'm +1 on this.
support  | Definitely +1 for the rename.
support  | My vote: +1
support  | +1, non-binding
support  | 👍
support  | Ship it!
support  | Seconded.
support  | I think we should merge this.
support  | The working group should adopt this draft.
support  | I disagree that this is not ready.
support  | I'd like to see this adopted before the next meeting.
support  | I would very much like to see it published.
support  | With that change I'm fine.
support  | You've convinced me.
support  | I withdraw my objection.
support  | My concerns have been addressed in -07.
support  | The new wording resolves my objection, thank you.
support  | I see no reason not to go ahead.
support  | I endorse the proposal.
support  | Acked-by: Pat Example <pat@example.org>
support  | Reviewed-by: Pat Example <pat@example.org>
support  | ACK
support  | Concept ACK
support  | I like this proposal.
support  | Sounds good to me, please go ahead.
support  | I'm all for adopting it.
support  | Happy with the latest version.
support  | I'm okay with this.
support  | I've tested the release candidate on three platforms and I support releasing it.
support  | I support adoption, provided that the security section is finished.
support  | I don’t have any concerns with the current text.
support  | We support adoption of draft-example-foo.
support  | I agree that we should adopt it.
support  | I strongly believe this should be published.
support  | I am supportive of this effort.
support  | This is a good idea.
support  | Count me as a +1.
support  | Not only do I support this, I'd co-author it.
support  | I cannot see any reason why we should not adopt it.
support  | I hereby vote in favour.
support  | I'd be happy to see this go forward.
support  | IMHO this makes perfect sense.
support  | I'm in support of option 2, i.e. the draft as it is.
support  | Good to go from my perspective.
object   | I object.
object   | I strongly oppose adoption.
object   | Strongly opposed.
object   | I do not support this draft.
object   | I cannot support publication in this form.
object   | I can't support this as written.
object   | This is not ready.
object   | I don't think the document is ready for last call.
object   | I don't think we should adopt this.
object   | We should not adopt this draft.
object   | I believe adoption would be premature.
object   | I have serious concerns about the privacy implications.
object   | I still have concerns.
object   | I share Mika's concerns about the threat model.
object   | I am against merging this.
object   | We are against this change.
object   | -1
object   | -1 (non-binding), the tests fail on Windows.
object   | -1 until the licence headers are fixed.
object   | I'm -1 on this.
object   | I'm afraid it's a -1 from me.
object   | 👎
object   | NAK.
object   | Nacked-by: Pat Example <pat@example.org>
object   | Sorry, NACK: this breaks the ABI.
object   | I can't live with that.
object   | This is a terrible idea.
object   | I think this would be a big mistake.
object   | I don't agree that it is ready.
object   | Please don't merge this yet.
object   | I agree that this is not ready.
object   | I'm not convinced that we need it.
object   | I would rather not have this in core.
object   | I'd prefer not to adopt it.
object   | I don't see the point of this.
object   | That makes no sense.
object   | The proposal must be rejected.
object   | I hate this idea.
object   | I'm quite uncomfortable with the direction.
object   | In my opinion this is unacceptable.
object   | I'm not in favour of it.
object   | I am not comfortable with this going out.
object   | I wouldn't support such a change.
object   | I can no longer support this.
object   | The fix does not address my concerns.
object   | I don't like this approach.
object   | I would object to making this mandatory.
object   | -0.9
object   | We should drop this.
object   | It needs more work before we can call it done.
neutral  | I have no strong opinion.
neutral  | +0
neutral  | -0, not my area
neutral  | I abstain.
neutral  | I'm on the fence.
neutral  | I don't care either way.
neutral  | I neither support nor oppose this.
neutral  | I'm neutral on this one.
neutral  | I'm not sure I support this.
neutral  | I would support it if the IPR question were settled.
neutral  | I could go either way.
neutral  | I am not sure whether this is ready.
neutral  | ±0
neutral  | I don't have a strong preference.
neutral  | I would prefer the second option.
question | Do you support this?
question | Why would anyone object?
question | Has anybody implemented section 4 yet?
question | Should we adopt it now or wait for Prague?
question | Could you explain why this is not ready?
question | What happens when the peer reboots?
nothing  | Thanks for the draft, nice work.
nothing  | Thank you for all the effort you put into this!
nothing  | Bob objects that it is too slow.
nothing  | Alice said she supports the draft.
nothing  | According to Mika this is not ready.
nothing  | If we adopted this, every client would need an update.
nothing  | Were I to object, I would have written a longer mail.
nothing  | The word "support" is used twice in section 2.
nothing  | He wrote "+1" without reading it.
nothing  | The meeting is at 10:00 UTC+1.
nothing  | My clock runs at GMT -1 in winter.
nothing  | Call me at +1-650-555-0100.
nothing  | Phone: +1 650 555 0100
nothing  | Then you access a[i +1] out of bounds.
nothing  | It returns -1 on error.
nothing  | We need three +1 votes from committers.
nothing  | Please vote: +1 / 0 / -1
nothing  | Vote +1 if you want the rename.
nothing  | [ ] +1 Release this package
nothing  | +1 from John too
nothing  | Bob voted -1 last week.
nothing  | Support for IPv6 is missing in the example.
nothing  | We support Windows, Linux and macOS.
nothing  | The object is created by the factory.
nothing  | Each object has a reference count.
nothing  | Signed-off-by: Pat Example <pat@example.org>
nothing  | Acked-by: Mika Other <mika@example.com>
nothing  | I used to object to this kind of thing.
nothing  | I will send the minutes tomorrow.
nothing  | Here are the steps to reproduce the failure.
nothing  | I would object if this were mandatory.
nothing  | People who oppose the draft should speak up now.
nothing  | The server sends an ACK for each packet.
nothing  | Let me know whether you support option A or option B.
nothing  | The chairs think the draft is ready.
nothing  | I'd like to thank the reviewers.
nothing  | I did not say that I support it.
nothing  | Upgrade to v1.2 +1 day later.
nothing  | The release notes are at https://example.org/+1.
nothing  | Someone might say this is a bad idea.
nothing  | See my comments on sections 3 and 5 below.
nothing  | I have read the draft.
nothing  | There is a typo in the third paragraph.
nothing  | Unless somebody objects, the deadline stays.
`);

function table(text: string): readonly (readonly [Stance | "nothing", string])[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const bar = line.indexOf("|");
      return [line.slice(0, bar).trim() as Stance | "nothing", line.slice(bar + 1).trim()] as const;
    });
}
