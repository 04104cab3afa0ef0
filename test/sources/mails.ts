/** An mbox with a mail for each subject. */
export const mbox = (...subjects: readonly string[]): string =>
  subjects.map((one) => `From a@b Mon Jan  3 10:00:00 2005\n${mail(one)}\n`).join("");

export const mail = (subject: string): string =>
  [
    "From: Ann <ann@example.org>",
    "To: list@example.org",
    `Subject: ${subject}`,
    `Message-ID: <${subject.replace(/[^\w-]+/g, ".")}@example.org>`,
    "Date: Mon, 3 Jan 2005 10:00:00 +0000",
    "",
    `This is about ${subject}.`,
    "",
  ].join("\n");
