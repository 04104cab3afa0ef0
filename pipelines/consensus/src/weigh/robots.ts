import type { Post } from "./findings.ts";

/**
 * Whether a program wrote a post. A program reports acts of people and takes no side; a program that sends in a person's name ("Ann
 * Lee (JIRA)", a GitHub notification) passes on the person's words.
 */
export function isByRobot({ from, clean }: Post): boolean {
  const name = from.name.slice(0, 100).trim();
  const local = /^[^@]{0,64}/.exec(from.address)?.[0] ?? "";
  if (isRobotName(name)) return true;
  if ((name === "" || name.includes("@")) && isRobotAddress(local)) return true;
  const passedOn = /^\s{0,20}(?:git(?:hub|lab) user )?([\w.-]{2,40}) (?:commented on|opened|closed) /i.exec(
    clean,
  );
  if (passedOn && passedOn[1]!.toLowerCase() !== name.toLowerCase() && isNotice.test(clean.slice(0, 300)))
    return true;
  return automatic.test(clean.slice(0, 400)) || automatic.test(clean.slice(-1_500));
}

const robotName =
  /^(?:gitbox|github|gitlab|jenkins|hudson|jira|bugzilla(?:[ -]daemon)?|build ?bot|zuul|gerrit(?: code review)?|patchwork|lkp|travis ci|codecov|review ?board|apache (?:jenkins|hudson|wiki|gump)(?: server)?|mail(?:er-daemon| delivery (?:sub)?system)|launchpad bug tracker|debian (?:bug tracking system|ftp masters|testing watch)|cron daemon|root|the [\w -]{1,30} team)$|(?:^|[\s_-])(?:(?:ro)?bot|autobuilder)$|\b(?:syz|dependa|merge|git|bors|build|ci|lgtm|stale|k8s-ci-ro)-?bot$|\[bot\]|\bnotification (?:service|system)\b/i;
const robotAddress =
  /^(?:git(?:box|hub|lab)?|jenkins|hudson|jira|bugzilla[\w-]{0,20}|build ?bot|builds?|zuul|gerrit|patchwork|no-?reply|do-?not-?reply|notifications?|mailer-daemon|postmaster|portal[\w-]{0,20}|cron|root|owner-[\w-]{1,40})$/i;
/** "Github user bo commented on the issue: https://…", in a mail from somebody else. */
const isNotice = /^\s{0,20}git(?:hub|lab) user |https?:\/\/\S{1,200}\/(?:pull|issues|merge_requests)\/\d/i;
const automatic =
  /\bthis (?:is an automated (?:message|mail|e-?mail|notification)|is an automatically generated|(?:message|mail|e-?mail|notification) (?:was|is|has been) (?:sent automatically|automatically (?:sent|generated)|generated automatically|auto-?generated))\b/i;

export const isRobotName = (name: string): boolean => robotName.test(name.slice(0, 100).trim());
export const isRobotAddress = (local: string): boolean => robotAddress.test(local.slice(0, 64));
