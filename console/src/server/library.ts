/** Pages for readers, filled by the consensus pipeline. */
export interface Library {
  threads(filter: ThreadsFilter): Promise<readonly ThreadRow[]>;
  /** By the id of the thread or of one of its messages; null: there is none. */
  thread(id: string): Promise<ThreadPage | null>;
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** Quotes that answer a question; none: the archive does not say it. */
  ask(question: string, filter: { readonly list?: string }): Promise<readonly AnswerQuote[]>;
  lists(): Promise<readonly ListRow[]>;
  /** Null: no list of the name. */
  digest(list: string, limit: number): Promise<ListPage | null>;
}

/** Reads an uploaded file; the last part of the path is the name of the file. */
export type TakeFile = (path: string, options: { readonly list?: string }) => Promise<Uploaded>;

export interface ListRow {
  readonly list: string;
  readonly threads: number;
  readonly lastDate: string | null;
}

export interface ListPage {
  readonly list: string;
  readonly threads: number;
  readonly messages: number;
  readonly participants: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly levels: Readonly<Record<string, number>>;
  readonly entries: readonly ListEntry[];
}

export interface ListEntry {
  readonly thread: string;
  readonly title: string;
  readonly lastDate: string | null;
  readonly messages: number;
  readonly participants: number;
  readonly level: string | null;
  /** The first sentence of the summary. */
  readonly line: string;
  readonly decisions: readonly Remark[];
  readonly openQuestions: readonly Remark[];
}

export interface Remark {
  readonly by: Reader;
  readonly message: string;
  readonly quote: string;
}

/** The outcome of an upload. */
export interface Uploaded {
  readonly accepted: number;
  /** Files and entries with known bytes. */
  readonly unchanged: number;
  readonly refused: readonly string[];
  readonly lists: readonly string[];
  /** Documents made of the file, the first few. */
  readonly documents: readonly { readonly collection: string; readonly id: string }[];
}

export interface ThreadsFilter {
  readonly list?: string;
  readonly level?: string;
  readonly subject?: string;
  readonly order: "newest" | "largest" | "interesting";
  /** The last thread of the page before. */
  readonly after?: string;
  readonly limit: number;
}

export interface ThreadRow {
  readonly id: string;
  readonly list: string;
  readonly subject: string;
  readonly messages: number;
  readonly participants: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly level: string | null;
  readonly confidence: number | null;
  readonly support: number;
  readonly object: number;
}

export interface Reader {
  readonly name: string;
  readonly address: string;
}

/** Exact words of a message: `clean.slice(start, end)`. */
export interface Quote {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

export interface ThreadPage {
  readonly id: string;
  readonly list: string;
  readonly subject: string;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  readonly participants: readonly Reader[];
  readonly messages: readonly ThreadMessage[];
  readonly outcome: {
    readonly level: string;
    readonly confidence: number;
    readonly reasons: readonly string[];
    readonly tally: { readonly for: number; readonly against: number; readonly abstain: number } | null;
    /** The words that ask, with their author; null: nothing was asked. */
    readonly question: (Quote & { readonly by: Reader }) | null;
  } | null;
  readonly summary: {
    readonly model: string;
    readonly sentences: readonly { readonly text: string; readonly citations: readonly Quote[] }[];
    /** Notes about the making: why a language model was replaced, and its cost. */
    readonly notes?: readonly string[];
  } | null;
  readonly positions: readonly Position[];
}

export interface ThreadMessage {
  readonly id: string;
  readonly depth: number;
  readonly subject: string;
  readonly from: Reader;
  readonly date: string | null;
  readonly clean: string;
  /** The whole text, with quoted lines, signatures and footers. */
  readonly text: string;
  readonly attachments: readonly { readonly filename: string | null; readonly size: number }[];
  readonly flags: readonly string[];
}

export interface Position extends Quote {
  readonly id: string;
  readonly person: Reader;
  readonly stance: "support" | "object" | "neutral" | "question";
  readonly at: string | null;
  readonly because: string;
  readonly supersededBy: string | null;
}

export interface SearchQuery {
  readonly words: string;
  readonly list?: string;
  readonly from?: string;
  readonly limit: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Why only words were searched; null: words and meaning. */
  readonly wordsOnly: string | null;
}

export interface AnswerQuote extends Quote {
  readonly list: string;
  readonly subject: string;
  readonly from: Reader;
  readonly date: string | null;
}

export interface SearchHit {
  readonly message: string;
  readonly list: string;
  readonly subject: string;
  readonly from: Reader;
  readonly date: string | null;
  readonly start: number;
  readonly end: number;
  /** The passage, with matches between « and ». */
  readonly snippet: string;
}
