/** Pages about manuals, filled by the manuals pipeline. */
export interface Shelf {
  manuals(): Promise<readonly ManualRow[]>;
  ask(question: ManualQuestion): Promise<ManualAnswer>;
  /** A page as PNG with the quote marked; null: no page of the number. */
  picture(question: PictureQuestion): Promise<{ readonly png: Uint8Array; readonly marks: number } | null>;
}

export interface ManualRow {
  readonly id: string;
  readonly title: string;
  readonly pages: number;
  /** The state of reading in one sentence. */
  readonly reading: string;
  readonly codes: number;
}

export interface ManualQuestion {
  readonly words: string;
  readonly manual?: string;
  readonly limit: number;
}

export interface ManualAnswer {
  /** False: the manuals do not say; the hits are only the nearest. */
  readonly found: boolean;
  /** Words of the question without a place in the manuals. */
  readonly unknown: readonly string[];
  readonly codes: readonly ManualCode[];
  readonly hits: readonly ManualHit[];
}

export interface ManualCode {
  readonly manual: string;
  readonly code: string;
  readonly page: number;
  /** Named sentences: problem, cause, remedy. */
  readonly facts: readonly (readonly [name: string, text: string])[];
}

export interface ManualHit {
  readonly manual: string;
  readonly title: string;
  readonly page: number;
  /** The printed number of the page. */
  readonly label: string;
  readonly crumbs: string;
  readonly quote: string;
}

export interface PictureQuestion {
  readonly manual: string;
  readonly page: number;
  readonly quote?: string;
  readonly width: number;
}
