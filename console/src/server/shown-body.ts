/** The beginning of a body as text, with its whole length. */
export interface ShownBody {
  readonly text: string;
  readonly characters: number;
}

const charactersMax = 64 * 1024;

export function shownBody(body: object | null | undefined): ShownBody | null {
  if (!body) return null;
  const text = JSON.stringify(body, null, 2);
  return { text: text.slice(0, charactersMax), characters: text.length };
}
