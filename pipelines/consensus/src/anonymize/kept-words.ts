/**
 * Words that stay as they are, because they say how a mail is built and nothing about whom: without them a quote could not
 * be told from an answer, nor a vote from a talk. A word of somebody's name is replaced all the same.
 */
export const keptWords: ReadonlySet<string> = new Set(
  [
    // How a quote is introduced, and what stands above a forwarded mail
    "on at in wrote writes from to cc date sent subject message original forwarded begin end via",
    "am schrieb le a écrit ha scritto escribió op schreef skrev",
    // When
    "jan feb mar apr may jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun pm utc gmt",
    "january february march april june july august september october november december",
    "monday tuesday wednesday thursday friday saturday sunday",
    // What a subject says the mail is
    "re fw fwd aw sv antw wg patch pull rfc rfe vote votes result results discuss discussion proposal poll announce",
    "announcement ann call consensus cancel canceled cancelled notice security cve bug issue",
    // Addresses on the web; the last part of every pseudonymous one
    "http https www invalid",
  ].flatMap((line) => line.split(" ")),
);
