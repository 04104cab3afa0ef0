import { describe, expect, it } from "vitest";
import { weigh } from "./weigh.ts";

/** Stance of a sentence that is the whole answer to a proposal. */
function stanceOf(sentence: string): string {
  const { positions } = weigh([
    {
      id: "proposal",
      parent: null,
      from: { name: "Rae Root", address: "rae@example.net" },
      date: "2024-01-01T00:00:00Z",
      subject: "Proposal: use foo",
      clean: "I propose that we use foo.",
    },
    {
      id: "answer",
      parent: "proposal",
      from: { name: "Pat Example", address: "pat@example.org" },
      date: "2024-01-02T00:00:00Z",
      subject: "Re: Proposal: use foo",
      clean: sentence,
    },
  ]);
  return positions.find(({ message }) => message === "answer")?.stance ?? "nothing";
}

/** Sentences as written on lists, with their stance; `nothing` without a stance. */
const known = table(`
support  | I support adoption of this document.
support  | I've read the latest revision and support its publication as Proposed Standard.
support  | Strong support from our side; we have two implementations.
support  | I am in favour of the WG taking this on.
support  | I fully support moving this forward.
support  | Yes, support adoption, and I am willing to review.
support  | I think the draft is ready for WGLC.
support  | This document is ready for publication.
support  | LGTM, thanks for the quick turnaround.
support  | Looks good to me.
support  | No objections here.
support  | I'm not opposed to this.
support  | I don't object to adopting the document.
support  | I wouldn't be opposed to a short delay-free merge of this.
support  | +1
support  | +1 (binding)
support  | Awesome! +1
support  | here's my +1
support  | Definitely +1 for the rename.
support  | My vote: +1
support  | 👍
support  | Ship it!
support  | I think we should merge this.
support  | The working group should adopt this draft.
support  | I'd like to see this adopted before the next meeting.
support  | I would very much like to see it published.
support  | You've convinced me.
support  | I withdraw my objection.
support  | The new wording resolves my objection, thank you.
support  | I see no reason not to go ahead.
support  | Acked-by: Pat Example <pat@example.org>
support  | Reviewed-by: Pat Example <pat@example.org>
support  | Concept ACK
support  | I like this proposal.
support  | I'm all for adopting it.
support  | Happy with the latest version.
support  | I've tested the release candidate on three platforms and I support releasing it.
support  | I support adoption, provided that the security section is finished.
support  | We support adoption of draft-example-foo.
support  | I agree that we should adopt it.
support  | I am supportive of this effort.
support  | This is a good idea.
support  | Not only do I support this, I'd co-author it.
support  | I cannot see any reason why we should not adopt it.
support  | I'd be happy to see this go forward.
support  | IMHO this makes perfect sense.
support  | Good to go from my perspective.
support  | Having implemented this twice, I think it deserves to become an RFC.
support  | Please count this as support for adoption.
support  | Yes, please adopt.
support  | Adopt.
support  | I am happy for this to go ahead.
support  | I read -03 over the weekend; it's in good shape and I'd support sending it to the IESG.
support  | Chairs, I believe the WG should adopt this work, and I volunteer to shepherd it.
support  | A very enthusiastic +1!
support  | +1. Thanks Tom for driving this.
support  | Hi all, +1 (non binding). Verified checksums.
support  | Thanks for the explanation, I withdraw my objections.
support  | OK, I'm convinced.
support  | This has my full support.
support  | I have read this draft, I find it clear and useful, and I support its adoption by the WG.
support  | FWIW I am also in favor.
support  | Fine by me.
support  | I don't see any problem with this.
support  | I have no problem with the change.
support  | No concerns from my side.
support  | I would love to see this happen.
support  | Tested-by: Pat Example <pat@example.org>
support  | I'm strongly in favour of doing this, ideally before the freeze.
support  | Let's do it.
support  | Let's go ahead with this.
support  | I concur.
support  | Totally agree.
support  | I was sceptical at first, but I now support the change.
support  | I can't find any reason to object.
support  | I guess I'm +0.5 on this.
support  | +1 for the change, but please fix the typo in the docs.
support  | The authors have addressed all my comments and I believe the document is ready to go.
support  | I'd vote +1 for that.
support  | You have my +1.
support  | I've been following this draft since the BoF and I think it's time to publish it.
support  | As co-author I obviously support this.
support  | Our team is using this in production and would like the WG to adopt it.
support  | Yes from me.
support  | I'm good with that.
support  | I have reviewed -12 and found no issues; ready to go.
support  | +1 -- this solves a real problem for us.
support  | Agree with the proposal.
support  | I think that this is useful work and should be adopted.
support  | Strongly support!
support  | I support Bob's proposal.
support  | +1 (binding) - verified signatures, built on JDK 17
support  | I have no objections.
support  | Also +1.
support  | OK with me.
support  | I don't have a problem with that.
support  | I am for it.
support  | Sure, go ahead.
support  | I back this proposal.
support  | This would be a great addition.
support  | We have deployed this and fully support standardising it.
support  | I'd definitely like to see this in the next release.
support  | This looks like a sensible way forward, so let's merge.
support  | I have no issue with adopting this.
support  | All checks OK, +1 to release.
support  | My +1 as well.
support  | I am totally fine with this proposal.
support  | Count me in favour.
support  | I agree with adopting the draft.
support  | I reviewed the document. It is well written and ready for IETF last call.
support  | I'd be okay with that.
support  | I hereby give my +1.
support  | Supporting adoption here.
support  | Adoption makes sense to me.
support  | No objection to publishing this.
support  | I think adopting this draft is the right thing to do.
support  | I support the adoption of this document as a WG item.
support  | We (Example Networks) support this draft.
support  | Having read the document, I support moving it to last call.
support  | +1 on adopting this.
support  | Looks fine to me, thanks.
support  | I am in agreement with the change.
support  | I have no objections to the release.
support  | I think this is a really good idea and we should do it.
support  | I'd like to express my support for this draft.
support  | I vote +1.
support  | It's a +1 from me.
support  | Yes, I think this is ready.
support  | The new version addresses my concerns; I no longer object.
support  | I still think this is worth doing.
support  | Good idea, +1
support  | I'm on board.
object   | I object.
object   | Strongly opposed.
object   | I do not support this draft.
object   | I can't support this as written.
object   | This is not ready.
object   | I don't think we should adopt this.
object   | We should not adopt this draft.
object   | I have serious concerns about the privacy implications.
object   | I still have concerns.
object   | I am against merging this.
object   | We are against this change.
object   | -1 (non-binding), the tests fail on Windows.
object   | -1 until the licence headers are fixed.
object   | I'm afraid it's a -1 from me.
object   | 👎
object   | Nacked-by: Pat Example <pat@example.org>
object   | Sorry, NACK: this breaks the ABI.
object   | This is a terrible idea.
object   | I think this would be a big mistake.
object   | Please don't merge this yet.
object   | I agree that this is not ready.
object   | I would rather not have this in core.
object   | I'd prefer not to adopt it.
object   | That makes no sense.
object   | The proposal must be rejected.
object   | I'm quite uncomfortable with the direction.
object   | In my opinion this is unacceptable.
object   | I am not comfortable with this going out.
object   | I wouldn't support such a change.
object   | The fix does not address my concerns.
object   | I don't like this approach.
object   | -0.9
object   | We should drop this.
object   | I must object to this.
object   | Sorry, but I can't agree to this.
object   | I don't believe this belongs in the standard library.
object   | No. This is the wrong layer.
object   | I have to say no to this one.
object   | I'm strongly against.
object   | I am not a fan of this proposal.
object   | I'm -0.5 on the idea.
object   | Hard -1.
object   | -1 (binding)
object   | I vote against.
object   | I do not think that this document is ready for publication yet.
object   | I have a number of reservations about this.
object   | I don't support adopting it at this time.
object   | We oppose adoption of this draft.
object   | Not in favour.
object   | I remain opposed.
object   | I'd be against that.
object   | I really don't want this merged.
object   | Over my dead body.
object   | I'm withdrawing my support; -1 from me now.
object   | This shouldn't be published as is.
object   | It would be a mistake to adopt this now.
object   | I see no need for this.
object   | The draft isn't ready.
object   | My objection still stands.
object   | I maintain my objection.
object   | I disagree.
object   | I don't think that's a good idea.
object   | I'm opposed to adding another knob.
object   | Please do not adopt this.
object   | I am firmly against adopting this draft in its current form.
object   | I can't support adoption until the IPR is clear.
object   | There are too many open issues, so I do not think we are ready for WGLC.
object   | I find this proposal unacceptable.
object   | -1. Too much magic.
object   | I'm leaning -1.
object   | We can't adopt this in the current state.
object   | I would strongly object to that.
object   | I'm not happy with this.
object   | I still object.
object   | NAK from me.
object   | I don't think this is the right approach.
object   | I am not supportive of adoption.
object   | It is too early to adopt this.
object   | I cannot agree with this change.
object   | I would vote against it.
object   | I'm concerned that this will fragment the ecosystem.
object   | I don't want to see this adopted.
object   | Adoption would be a mistake.
object   | I don't think it's ready yet.
object   | Strong -1 from my side
object   | My main objection is that nobody asked for it.
object   | I fail to see the benefit.
object   | I really do not like where this is going.
object   | I oppose this.
object   | I am still opposed to this proposal.
object   | I do not agree with this proposal.
object   | I'm afraid I cannot support this.
object   | This is premature.
object   | -1 from me, this breaks compatibility.
object   | I don't think this should be merged.
object   | I have strong reservations.
object   | The document is not ready for publication.
object   | I'd prefer we didn't do this.
object   | I don't think it's a good idea to adopt this now.
object   | We should reject this.
object   | I have the same concerns as Mika.
object   | Not convinced.
neutral  | I have no strong opinion.
neutral  | +0
neutral  | I abstain.
neutral  | I'm on the fence.
neutral  | I neither support nor oppose this.
neutral  | I'm neutral on this one.
neutral  | I would support it if the IPR question were settled.
neutral  | I could go either way.
neutral  | ±0
neutral  | I don't have a strong preference.
neutral  | No opinion.
neutral  | I'm ambivalent about this.
neutral  | Either way is fine with me.
neutral  | +/-0
neutral  | I have no horse in this race.
neutral  | I'll abstain on this one.
neutral  | I don't feel strongly about it.
neutral  | I don't have an opinion on this.
neutral  | I'm not for or against it.
neutral  | 0 from me
neutral  | I remain neutral.
neutral  | I have mixed feelings about this.
neutral  | No strong feelings here.
neutral  | I abstain from this vote.
neutral  | I don't really care either way.
neutral  | I'm undecided.
neutral  | -0
question | Do you support this?
question | Why would anyone object?
question | Should we adopt it now or wait for Prague?
question | Could you explain why this is not ready?
question | Is there an implementation?
question | Who would maintain this?
question | I don't understand; why not simply use TLS?
question | What problem does this solve?
question | Could somebody summarise the differences to the earlier draft?
question | When is the deadline?
question | Any thoughts on how this interacts with NAT?
question | Why is that needed?
question | Did anybody test it with OpenSSL?
question | Would it be possible to get a few more days?
nothing  | Thanks for the draft, nice work.
nothing  | Thank you for all the effort you put into this!
nothing  | Alice said she supports the draft.
nothing  | According to Mika this is not ready.
nothing  | Were I to object, I would have written a longer mail.
nothing  | The word "support" is used twice in section 2.
nothing  | The meeting is at 10:00 UTC+1.
nothing  | My clock runs at GMT -1 in winter.
nothing  | Phone: +1 650 555 0100
nothing  | Then you access a[i +1] out of bounds.
nothing  | We need three +1 votes from committers.
nothing  | Please vote: +1 / 0 / -1
nothing  | [ ] +1 Release this package
nothing  | +1 from John too
nothing  | Support for IPv6 is missing in the example.
nothing  | We support Windows, Linux and macOS.
nothing  | Each object has a reference count.
nothing  | Signed-off-by: Pat Example <pat@example.org>
nothing  | I used to object to this kind of thing.
nothing  | I will send the minutes tomorrow.
nothing  | I would object if this were mandatory.
nothing  | People who oppose the draft should speak up now.
nothing  | Let me know whether you support option A or option B.
nothing  | The chairs think the draft is ready.
nothing  | I did not say that I support it.
nothing  | Upgrade to v1.2 +1 day later.
nothing  | Someone might say this is a bad idea.
nothing  | See my comments on sections 3 and 5 below.
nothing  | There is a typo in the third paragraph.
nothing  | Unless somebody objects, the deadline stays.
nothing  | Tom is in favour of the change, if I read him correctly.
nothing  | The WG should decide whether to adopt this.
nothing  | Nobody has objected so far.
nothing  | I haven't made up my mind whether to support it; let me read it first.
nothing  | If there are no objections I'll merge on Friday.
nothing  | Please indicate your support or objection by Friday.
nothing  | The vendor does not support this feature.
nothing  | I know that some of you are against it.
nothing  | The function returns +1, 0 or -1.
nothing  | See you in Berlin, UTC +1.
nothing  | I added support for the new header.
nothing  | Supporters of the change should write to the list.
nothing  | My phone number is +1 (415) 555-0134.
nothing  | I'd like to hear from those who oppose this.
nothing  | Great discussion so far!
nothing  | This would need a charter change.
nothing  | Sent from my iPhone
nothing  | I have attached the minutes.
nothing  | Version 2.1 is ready for download.
nothing  | We already have three binding votes.
nothing  | He was against it in Prague, too.
nothing  | Mary, who opposes the draft, will present in Vancouver.
nothing  | I agree with most of the editorial comments.
nothing  | This patch adds support for the new chip.
nothing  | I would be interested in hearing whether operators support this.
nothing  | I'm collecting votes until Sunday.
nothing  | It's been a while since I last looked at this.
nothing  | The +1s so far are all from one company.
nothing  | The test prints -1 and then exits.
nothing  | Will update the draft accordingly.
nothing  | They oppose everything.
nothing  | She is opposed to it.
nothing  | In London there was support for this.
nothing  | The draft received a lot of support.
nothing  | I will support the new team during the migration.
nothing  | Comments inline.
nothing  | Nit: s/teh/the/
nothing  | Temperatures of -1 are common there.
nothing  | I have posted a new version of the draft.
nothing  | Thanks for the review, I will fix it.
nothing  | Does not apply here, since the client never sends it.
nothing  | My colleague supports this, I am told.
nothing  | People have objected to this before.
nothing  | The counter is increased by +1.
nothing  | Meeting moved to 9:00 (GMT -1).
nothing  | You need at least three +1s.
nothing  | If someone objects, please speak up.
nothing  | The spec says the peer MUST reject the message.
nothing  | We should fix the test first.
nothing  | I ran it on Linux and got the same error.
`);

/** Written together with the rest; no rule was made or changed because of a mistake here. */
const heldOut = table(`
support  | Support.
support  | We're very much in favor of this.
support  | As an implementer, I support this work.
support  | Works for me.
support  | I have no objection to the new text.
support  | I can live with it.
support  | I no longer object.
support  | Big +1 from me, we needed that for years.
support  | I'm +1 on this.
support  | +1, non-binding
support  | Seconded.
support  | I disagree that this is not ready.
support  | With that change I'm fine.
support  | My concerns have been addressed in -07.
support  | I endorse the proposal.
support  | ACK
support  | Sounds good to me, please go ahead.
support  | I'm okay with this.
support  | I don’t have any concerns with the current text.
support  | I strongly believe this should be published.
support  | Count me as a +1.
support  | I hereby vote in favour.
support  | I'm in support of option 2, i.e. the draft as it is.
object   | I strongly oppose adoption.
object   | I cannot support publication in this form.
object   | I don't think the document is ready for last call.
object   | I believe adoption would be premature.
object   | I share Mika's concerns about the threat model.
object   | -1
object   | I'm -1 on this.
object   | NAK.
object   | I can't live with that.
object   | I don't agree that it is ready.
object   | I'm not convinced that we need it.
object   | I don't see the point of this.
object   | I hate this idea.
object   | I'm not in favour of it.
object   | I can no longer support this.
object   | I would object to making this mandatory.
object   | It needs more work before we can call it done.
neutral  | -0, not my area
neutral  | I don't care either way.
neutral  | I'm not sure I support this.
neutral  | I am not sure whether this is ready.
neutral  | I would prefer the second option.
question | Has anybody implemented section 4 yet?
question | What happens when the peer reboots?
nothing  | Bob objects that it is too slow.
nothing  | If we adopted this, every client would need an update.
nothing  | He wrote "+1" without reading it.
nothing  | Call me at +1-650-555-0100.
nothing  | It returns -1 on error.
nothing  | Vote +1 if you want the rename.
nothing  | Bob voted -1 last week.
nothing  | The object is created by the factory.
nothing  | Acked-by: Mika Other <mika@example.com>
nothing  | Here are the steps to reproduce the failure.
nothing  | The server sends an ACK for each packet.
nothing  | I'd like to thank the reviewers.
nothing  | The release notes are at https://example.org/+1.
nothing  | I have read the draft.
`);

describe("a sentence of an answer", () => {
  it.each(known)("is %s: %s", (stance, sentence) => {
    expect(stanceOf(sentence)).toBe(stance);
  });

  it("that no rule was made for is read right nine times out of ten, and is hardly ever taken for the wrong side", () => {
    const read = heldOut.map(([stance, sentence]) => ({ stance, sentence, got: stanceOf(sentence) }));
    const wrong = read.filter(({ stance, got }) => stance !== got);
    const sides = read.filter(({ got }) => got === "support" || got === "object");
    const wrongSides = sides.filter(({ stance, got }) => stance !== got);
    expect(read.length).toBeGreaterThan(55);
    expect(wrong.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(read.length * 0.1);
    expect(wrongSides.length, JSON.stringify(wrongSides, null, 1)).toBeLessThanOrEqual(sides.length * 0.03);
  });
});

function table(text: string): readonly (readonly [string, string])[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const bar = line.indexOf("|");
      return [line.slice(0, bar).trim(), line.slice(bar + 1).trim()] as const;
    });
}
