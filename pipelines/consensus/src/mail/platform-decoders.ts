import { TextDecoder } from "node:util";

const decoders = new Map<string, TextDecoder>();

/** The platform's decoder of a charset, cached; throws for an unknown charset. */
export function decoderOf(charset: string): TextDecoder {
  const known = decoders.get(charset);
  if (known) return known;
  const decoder = new TextDecoder(charset);
  decoders.set(charset, decoder);
  return decoder;
}
