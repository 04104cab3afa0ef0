/** Text as a database holds it: without NUL, and without halves of characters. */
export const storable = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();
