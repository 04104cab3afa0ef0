import { describe, expect, it } from "vitest";
import { cleanText } from "./clean.ts";

const words = "I support this.\n\nThe second part needs work.";

describe("a signature is removed:", () => {
  it.each([
    ["with its delimiter", "-- \nAnna Berg\nExample Corp"],
    ["with a delimiter that lost its space", "--\nAnna Berg"],
    ["below a long dash", "—\nAnna Berg\nhttps://anna.example.org"],
    ["with a saying", '-- \nAnna\n\n"Never trust a computer you can\'t throw out a window."\n  -- S. W.'],
    ["with a drawing", "-- \n   /\\_/\\   Anna Berg\n  ( o.o )  anna@example.org\n   > ^ <   +49 30 1234567"],
    ["below a rule, with an address", "_____________________\nAnna Berg\nanna@example.org"],
    ["in a line", "Anna Berg | Example Corp | +49 30 1234567 | anna@example.org"],
    ["below dashes, with a telephone", "---------------------\nAnna Berg\nTel: +49 30 1234567"],
    ["of contact lines alone", "Anna Berg\nTel: +49 30 1234567\nFax: +49 30 1234568\nanna@example.org"],
    ["that a PGP client escaped", "- -- \nAnna Berg"],
    ["that is empty", "--"],
    ["of rules", "***\n######\n\n   -----"],
    ["two of them", "-- \nAnna\n\n-- \nSent with love by list software"],
  ])("%s", (_, signature) => {
    const { clean, removed } = cleanText(`${words}\n\n${signature}\n`);
    expect(clean).toBe(words);
    expect(new Set(removed.map(({ kind }) => kind))).toEqual(new Set(["signature"]));
  });

  it.each([
    "Sent from my iPhone",
    "Sent from my Galaxy S7",
    "Sent from my Verizon Wireless BlackBerry",
    "Sent from my cell, please excuse any typos.",
    "Sent from Mail for Windows 10",
    "Sent from Yahoo Mail on Android",
    "Sent via mobile",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Get [Outlook for Android](https://aka.ms/ghei36)",
    "Von meinem iPhone gesendet",
    "Gesendet mit der WEB.DE Mail App",
    "Envoyé de mon iPhone",
    "Envoyé depuis mon téléphone",
    "Enviado desde mi iPhone",
    "Enviado do meu iPhone",
    "Inviato da iPhone",
    "Verstuurd vanaf mijn iPhone",
    "Skickat från min iPhone",
    "Sendt fra min iPad",
    "Lähetetty iPhonesta",
    "Wysłane z iPhone'a",
    "Odesláno z iPhonu",
    "Отправлено с iPhone",
    "Надіслано з iPhone",
    "iPhone'umdan gönderildi",
    "发自我的iPhone",
    "從我的 iPhone 傳送",
    "iPhoneから送信",
    "나의 iPhone에서 보냄",
    "Στάλθηκε από το iPhone μου",
    "נשלח מה-iPhone שלי",
  ])("%s", (line) => {
    expect(cleanText(`${words}\n\n${line}\n`).clean).toBe(words);
  });

  it("in the middle, above a quote and more words", () => {
    expect(cleanText("Yes.\n\n-- \nAnna\n\n> and this?\n\nAlso yes.\n").clean).toBe("Yes.\n\nAlso yes.");
  });

  it("above an old mail", () => {
    const text = `${words}\n\n-- \nAnna\n\nOn 3 May 2021 10:15, Bert <b@c.org> wrote:\n\nWhat do you say?\n\n-- \nBert\n`;
    expect(cleanText(text).clean).toBe(words);
  });
});

describe("what only looks like a signature stays:", () => {
  it.each([
    ["a farewell", "Best regards,\nAnna"],
    ["a name", "Thanks\n\n—Anna"],
    ["a dash and a name", "-Anna Berg"],
    ["a sentence about a phone", "Sent from my desk, this would have been a longer mail."],
    ["a sentence about sending", "Sent from the server to the client, the token is valid once."],
    ["a part after a rule", "---\nHere is one more thought that I had about the second section of it."],
    [
      "a long part below two dashes",
      `--\n${"This is a line of a longer part that goes on about it.\n".repeat(14)}`.trimEnd(),
    ],
    ["commits below a rule", "----\ncommit 0123abc\nAuthor: Anna <anna@example.org>\nDate: 2021-05-03"],
  ])("%s", (_, tail) => {
    expect(cleanText(`${words}\n\n${tail}\n`).clean).toBe(`${words}\n\n${tail}`);
  });

  it("a postscript below one", () => {
    expect(cleanText(`${words}\n\n-- \nAnna\n\nPS: I object to the title.\n`).clean).toBe(
      `${words}\n\nPS: I object to the title.`,
    );
  });
});

describe("a list footer is removed:", () => {
  const rule = "_______________________________________________";
  it.each([
    ["Mailman 2", `${rule}\nwg mailing list\nwg@example.org\nhttps://www.example.org/mailman/listinfo/wg`],
    [
      "Mailman 3",
      `${rule}\nwg mailing list -- wg@example.org\nTo unsubscribe send an email to wg-leave@example.org`,
    ],
    ["Mailman below dashes", "-- \nwg mailing list\nwg@example.org\nhttps://example.org/listinfo/wg"],
    [
      "ezmlm",
      "---------------------------------------------------------------------\nTo unsubscribe, e-mail: dev-unsubscribe@example.org\nFor additional commands, e-mail: dev-help@example.org",
    ],
    [
      "vger",
      '-\nTo unsubscribe from this list: send the line "unsubscribe x" in\nthe body of a message to majordomo@example.org\nMore majordomo info at  http://example.org/majordomo-info.html',
    ],
    [
      "old Google Groups",
      '--~--~---------~--~----~------------~-------~--~----~\nYou received this message because you are subscribed to the Google Groups "x" group.\nTo post to this group, send email to x@example.org\n-~----------~----~----~----~------~----~------~--~---',
    ],
    [
      "Google Groups",
      '-- \nYou received this message because you are subscribed to the Google Groups "x" group.\nTo unsubscribe from this group and stop receiving emails from it, send an email to x+unsubscribe@example.org.\nTo view this discussion on the web visit https://groups.example.org/d/1.',
    ],
    [
      "Yahoo Groups",
      "Yahoo! Groups Links\n\n<*> To visit your group on the web, go to:\n    http://groups.example.org/group/x/\n\n<*> Your use of Yahoo! Groups is subject to:\n    http://docs.example.org/info/terms/",
    ],
    [
      "groups.io",
      "-=-=-=-=-=-=-=-=-=-=-=-\nGroups.io Links: You receive all messages sent to this group.\nView/Reply Online (#1): https://groups.example.org/g/x/message/1\n-=-=-=-=-=-=-=-=-=-=-=-",
    ],
    [
      "LISTSERV",
      "########################################################################\n\nTo unsubscribe from the X list, click the following link:\nhttps://listserv.example.org/cgi-bin/wa?SUBED1=X&A=1",
    ],
    [
      "SourceForge",
      `-------------------------------------------------------\nThis SF.Net email is sponsored by: Example Conference\nhttp://ads.example.org/\n${rule}\nX-devel mailing list\nX-devel@lists.example.org\nhttps://lists.example.org/lists/listinfo/x-devel`,
    ],
    [
      "SourceForge's sponsors",
      "------------------------------------------------------------------------------\nTry the Example Suite today, it is free for everybody.\nhttp://p.sf.net/sfu/example",
    ],
    [
      "GitHub",
      "—\nReply to this email directly, view it on GitHub, or unsubscribe.\nYou are receiving this because you were mentioned.",
    ],
    [
      "old GitHub",
      "---\nReply to this email directly or view it on GitHub:\nhttps://github.com/a/b/issues/1",
    ],
    [
      "Discourse",
      "---\n[Visit Topic](https://forum.example.org/t/1) or reply to this email to respond.\n\nTo unsubscribe from these emails, click here: https://forum.example.org/u/1",
    ],
    [
      "Bugzilla",
      "-- \nConfigure bugmail: https://bugs.example.org/\n------- You are receiving this mail because: -------\nYou are on the CC list for the bug.",
    ],
  ])("%s", (_, footer) => {
    const { clean, removed } = cleanText(`${words}\n\n${footer}\n`);
    expect(clean).toBe(words);
    expect(removed.some(({ kind }) => kind === "footer")).toBe(true);
  });

  it("below a signature, directly and apart", () => {
    const footer = `${rule}\nwg mailing list\nwg@example.org\nhttps://example.org/listinfo/wg`;
    expect(cleanText(`${words}\n\n-- \nAnna\n${footer}\n`).clean).toBe(words);
    expect(cleanText(`${words}\n\n-- \nAnna\n\n${footer}\n\n${footer}\n`).clean).toBe(words);
  });

  it.each([
    "People who want to unsubscribe have no way to find the button.",
    "Please unsubscribe me from this list, I am anna@example.org now.",
    "I have posted the numbers to the other mailing list\nand to https://example.org/numbers as well.",
    "For more information about the meeting see https://example.org/meeting",
    "Subscribe to the other list if you want to follow this: https://example.org/list",
    "Archive: https://example.org/draft.tar.gz",
  ])("but a sentence stays: %s", (sentence) => {
    expect(cleanText(`${words}\n\n${sentence}`).clean).toBe(`${words}\n\n${sentence}`);
  });
});

describe("boilerplate is removed:", () => {
  it.each([
    [
      "a disclaimer",
      "This e-mail and any attachments are confidential and intended solely for the addressee. If you are not the intended recipient, please notify the sender and delete it. Any unauthorised disclosure is prohibited.",
    ],
    [
      "a German disclaimer",
      "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Empfänger sind, informieren Sie bitte den Absender und löschen Sie diese Nachricht. Unbefugte Weitergabe ist nicht gestattet.",
    ],
    ["a scanner", "This email has been checked for viruses by Avast antivirus software.\nwww.avast.com"],
    ["an old scanner", "No virus found in this message.\nChecked by AVG - www.avg.com"],
    [
      "an advertisement",
      "__________________________________________________\nDo You Yahoo!?\nhttp://mail.yahoo.com",
    ],
    [
      "an attachment that pipermail took",
      "-------------- next part --------------\nAn HTML attachment was scrubbed...\nURL: <http://lists.example.org/a/1/attachment.html>",
    ],
    [
      "a gateway's banner",
      "CAUTION: This email originated from outside of the organization. Do not\nclick links unless you know the sender.",
    ],
    ["a short banner", "[EXTERNAL EMAIL] This message came from outside the company."],
    ["a picture", "[image: logo.png]"],
    ["an inline picture", "[cid:image001.png@01D2.3456]"],
  ])("%s", (_, notice) => {
    expect(cleanText(`${words}\n\n${notice}\n`).clean).toBe(words);
  });

  it.each([
    "Create your own branch and be a better neighbour!",
    "Scanned by hand, the old minutes are hard to read.",
    "The message goes to the intended recipient only; unauthorized copying is prohibited, so delete the key.",
    "Windows Live has the same problem, see http://example.org/live",
  ])("but a sentence stays: %s", (sentence) => {
    expect(cleanText(`${words}\n\n${sentence}`).clean).toBe(`${words}\n\n${sentence}`);
  });

  it("and a picture in the middle leaves the words around it", () => {
    expect(cleanText("One.\n\n[image: a.png]\n\nTwo.\n").clean).toBe("One.\n\nTwo.");
  });
});
