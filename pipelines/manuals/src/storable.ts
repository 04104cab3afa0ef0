/** Text for a database: without NUL, and without halves of characters. */
export const storable = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();
