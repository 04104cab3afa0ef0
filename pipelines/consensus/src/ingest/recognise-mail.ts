import type { Recogniser } from "@headway/intake";
import { sniffArchive } from "../mail/split.ts";
import { guessListName, guessListNameOfUrl, sanitise } from "./list-name.ts";

/** Mail archives, for intake. */
export const mailRecogniser: Recogniser = {
  recognise(head) {
    const { kind, because } = sniffArchive(head);
    if (kind === "empty") return { kind, because };
    return { kind: kind === "not-mail" ? "foreign" : "wanted", because };
  },
  guessList: guessListName,
  guessListOfUrl: guessListNameOfUrl,
  nameList: (name) => sanitise(name) || "mail",
  // Only endings not used by lists and domains.
  foreignEndings: new Set(
    [
      "htm html xhtml css js mjs json jsonl xml xsd dtd yaml yml toml ini cfg conf md rst tex csv tsv pdf doc docx xls",
      "xlsx ppt pptx odt ods rtf png jpg jpeg gif svg webp ico bmp tif tiff mp3 mp4 avi mov wav ogg webm exe dll class",
      "jar pyc db sqlite sqlite3 idx lock pid msf part crdownload tmp swp asc sig md5 sha1 sha256 sha512 torrent",
    ].flatMap((line) => line.split(" ")),
  ),
  linkEnding: /\.(mbox|mbx|txt|gz|tgz|zip|tar)$/i,
  accept: "application/mbox, text/plain, text/html;q=0.8, */*;q=0.5",
  words: {
    content: "mail",
    whole: "a mail archive",
    one: "an archive",
    many: "archives",
    folder: "a folder with mbox files, a maildir or mails",
  },
};
