/** Advice by fault code for what files, archives, web addresses and stored bytes can fail of. */
export const intakeFixes = {
  "archive.bomb":
    "Unpack the archive by hand and look inside; raise the limit that the message names only if you trust it.",
  "archive.encrypted": "Unpack the archive with its password by hand, and hand in the files.",
  "archive.hash": "Get the archive again: its bytes differ from the announced hash.",
  "archive.*":
    "Get the archive again from its source, test it with its own tool (gzip -t, unzip -t), then hand it in once more.",
  "blob.disk-full":
    "Make room on the disk of the data folder (`headway doctor` shows where); work goes on by itself.",
  "blob.missing": "Hand the archive in again: its stored bytes are gone. A backup has them too.",
  "blob.too-large": "Split the file, or raise the limit that the message names.",
  "blob.*": "Check the disk of the data folder (`headway doctor --deep`), then hand the archive in again.",
  "path.missing": "Put the file back, or name the right path.",
  "path.*": "Give this user the right to read the path, or name another one.",
  "url.forbidden": "Check the address and its credentials in a browser.",
  "url.private":
    "Allow the address explicitly if the server is yours: private addresses are refused by default.",
  "url.*": "Open the address in a browser from this machine; correct it, or try again later.",
} as const;
