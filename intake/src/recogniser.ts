/**
 * What a pipeline reads. Intake knows files, folders, archives and the web; what the bytes of a file are, and what
 * people call these, is asked here.
 */
export interface Recogniser {
  /** Looks at the first bytes of a file. */
  readonly recognise: (head: Buffer) => Recognised;
  /** The list a file belongs to, by the names of its folders and its own, from the outside in. */
  readonly guessList: (names: readonly string[]) => string;
  readonly guessListOfUrl: (url: URL) => string;
  /** The name of a list as a person gave it, in a spelling that can be a key. */
  readonly nameList: (name: string) => string;
  /** Endings of names, in small letters and without the dot, of files that are never looked into. */
  readonly foreignEndings: ReadonlySet<string>;
  /** The paths of links that are followed from a page. */
  readonly linkEnding: RegExp;
  /** The header `Accept` of requests. */
  readonly accept: string;
  readonly words: {
    /** `mail`, as in "a file with mail"; refusal codes end in it: `path.no-mail`. */
    readonly content: string;
    /** `a mail archive`, as in "is not a mail archive". */
    readonly whole: string;
    /** `an archive` and `archives`, as in "links to archives". */
    readonly one: string;
    readonly many: string;
    /** The folders that can be named. */
    readonly folder: string;
  };
}

export interface Recognised {
  readonly kind: "wanted" | "empty" | "foreign";
  /** One sentence that begins with "It". */
  readonly because: string;
}
