/** Takes a secret out of a text, in all forms of addresses and headers. */
export function cover(text: string, secret: string | null): string {
  if (secret === null || secret === "") return text;
  const bare = secret.replace(/^oauth:/, "");
  const forms = [secret, bare].flatMap((one) => [
    one,
    encodeURIComponent(one),
    Buffer.from(one).toString("base64"),
    Buffer.from(one).toString("base64url"),
  ]);
  // The longest first, so no rest stays.
  const sorted = [...new Set(forms)].filter((form) => form !== "").sort((a, b) => b.length - a.length);
  return sorted.reduce((rest, form) => rest.replaceAll(form, "***"), text);
}

/** The same for what was thrown: a program or a server may have repeated the secret in a complaint. */
export function coverError<T>(error: T, secret: string | null): T {
  if (!(error instanceof Error) || secret === null) return error;
  error.message = cover(error.message, secret);
  if (error.stack) error.stack = cover(error.stack, secret);
  if (error.cause !== undefined) error.cause = coverError(error.cause, secret);
  return error;
}
