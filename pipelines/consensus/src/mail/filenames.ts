import { readableParameter } from "./parameters.ts";

/** The name of an attached file, decoded, without folders and control characters; null if nothing is left. */
export function cleanFilename(raw: string): string | null {
  const decoded = readableParameter(raw);
  const name = decoded
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here.
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ")
    .replace(/^.*[/\\]/s, "")
    .replace(/\s+/g, " ")
    .trim();
  return /^[. ]*$/.test(name) ? null : shorten(name);
}

/** Shortens a name too long for a file system; the ending shows the type, so it stays. */
function shorten(name: string): string {
  if (name.length <= 200) return name;
  const dot = name.lastIndexOf(".");
  const ending = dot > name.length - 12 ? name.slice(dot) : "";
  return `${[...name.slice(0, 200 - ending.length)].filter((each) => !/^[\ud800-\udfff]$/.test(each)).join("")}${ending}`;
}
