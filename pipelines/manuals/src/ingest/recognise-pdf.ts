import type { Recogniser } from "@headway/intake";

/** PDFs, for intake. */
export const pdfRecogniser: Recogniser = {
  recognise(head) {
    if (head.length === 0) return { kind: "empty", because: "It has no bytes." };
    // Readers allow some bytes before the mark, and so do we.
    const found = head.subarray(0, 1024).includes("%PDF-");
    return found
      ? { kind: "wanted", because: "It begins as a PDF does." }
      : { kind: "foreign", because: "It does not begin as a PDF does." };
  },
  guessList: () => "manuals",
  guessListOfUrl: () => "manuals",
  nameList: (name) => name,
  foreignEndings: new Set(
    [
      "htm html css js mjs ts json jsonl xml yaml yml toml ini cfg conf md rst tex csv tsv txt doc docx xls xlsx ppt pptx",
      "odt ods rtf png jpg jpeg gif svg webp ico bmp tif tiff mp3 mp4 avi mov wav ogg webm exe dll class jar pyc db sqlite",
      "lock pid part crdownload tmp swp asc sig md5 sha1 sha256 sha512 torrent mbox eml",
    ].flatMap((line) => line.split(" ")),
  ),
  linkEnding: /\.(pdf|zip|tar|tgz|gz)$/i,
  accept: "application/pdf, text/html;q=0.8, */*;q=0.5",
  words: {
    content: "PDF",
    whole: "a PDF",
    one: "a PDF",
    many: "PDFs",
    folder: "a folder with PDF files",
  },
};
