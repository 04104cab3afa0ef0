/**
 * A pipeline's file type. Intake knows files, folders, archives and the web; the recogniser knows the content of
 * files, and the words for messages.
 */
export interface Recogniser {
  /** Looks at the first bytes of a file. */
  readonly recognise: (head: Buffer) => Recognised;
  /** The list of a file, by the names of its folders and its own, from the outside in. */
  readonly guessList: (names: readonly string[]) => string;
  readonly guessListOfUrl: (url: URL) => string;
  /** A list name given by a person, in a spelling valid as a key. */
  readonly nameList: (name: string) => string;
  /** Lower-case file name endings, without the dot, of files never opened. */
  readonly foreignEndings: ReadonlySet<string>;
  /** Paths of links to follow from a page. */
  readonly linkEnding: RegExp;
  /** The header `Accept` of requests. */
  readonly accept: string;
  readonly words: {
    /** `mail`, as in "a file with mail"; refusal codes end in this word: `path.no-mail`. */
    readonly content: string;
    /** `a mail archive`, as in "is not a mail archive". */
    readonly whole: string;
    /** `an archive` and `archives`, as in "links to archives". */
    readonly one: string;
    readonly many: string;
    /** The kinds of folders that can be given. */
    readonly folder: string;
  };
}

export interface Recognised {
  readonly kind: "wanted" | "empty" | "foreign";
  /** One sentence that begins with "It". */
  readonly because: string;
}
