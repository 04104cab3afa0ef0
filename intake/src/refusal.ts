/** A refusal to read, as one sentence with advice; nothing has been changed. */
export class IngestRefusal extends Error {
  readonly code: RefusalCode;
  /** The path or address, for people. */
  readonly place: string;
  /** The server asked for this patience; 0: it did not. */
  readonly retryAfterMs: number;

  constructor(
    code: RefusalCode,
    place: string,
    message: string,
    { retryAfterMs = 0, ...options }: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.name = "IngestRefusal";
    this.code = code;
    this.place = place;
  }
}

export type RefusalCode =
  | "archive.bomb"
  | "archive.damaged"
  | "archive.empty"
  | "archive.encrypted"
  | "archive.name"
  | "archive.nested"
  /** Such as `archive.not-mail`: present, but something else. */
  | `archive.not-${string}`
  | "archive.unsupported"
  | "path.missing"
  | `path.no-${string}`
  | "path.unreadable"
  | "url.invalid"
  | "url.missing"
  | "url.forbidden"
  | "url.no-archives"
  | "url.private"
  | "url.redirects"
  | "url.too-large"
  | "url.unavailable"
  | "url.unreachable";

/** A file system error about a path, in words. */
export function refusePath(place: string, error: unknown): IngestRefusal {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const refuse = (refusal: RefusalCode, message: string) =>
    new IngestRefusal(refusal, place, message, { cause: error });
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return refuse("path.missing", `There is no file or folder ${place}: check the spelling.`);
    case "EACCES":
    case "EPERM":
      return refuse("path.unreadable", `${place} may not be read by this user: change its permissions.`);
    case "ELOOP":
      return refuse("path.unreadable", `${place} is a link that leads back to itself: name the real file.`);
    case "ENAMETOOLONG":
      return refuse("path.missing", "There is no such file: the path is longer than paths can be.");
    default:
      return refuse(
        "path.unreadable",
        `${place} cannot be read (${code ?? String(error)}): check the disk and try again.`,
      );
  }
}
