/** Advice by fault code for runs of sources, shown beside dead letters and explanations. */
export const sourceFixes = {
  "source.*": "Look at the source with: headway sources show NAME",
  "host.down": "Wait, or check the host; runs of its sources go on when it answers.",
  "imap.login": "Give another secret: headway sources add NAME PLACE --secret-file FILE --replace",
  "imap.secret": "Give the password or token: headway sources add NAME PLACE --secret-file FILE --replace",
  "imap.mailbox":
    "Correct the mailbox in the place: headway sources add NAME imaps://USER@HOST/MAILBOX --replace",
  "imap.certificate":
    "Have the server's certificate renewed, or its authority trusted (NODE_EXTRA_CA_CERTS).",
  "imap.insecure":
    "Use imaps://, or a server that offers STARTTLS: a password never goes over the network in the clear.",
  "imap.private":
    "Allow an address of your own network: headway sources add NAME PLACE --allow-private --replace",
  "imap.*": "Check that the mail server answers; the run is tried again by itself.",
  "git.missing": "Install git, then run the source again: headway sources run NAME",
  "git.login": "Give an address that can be read without a login, or credentials git finds by itself.",
  "git.*": "Check the address with: git ls-remote ADDRESS",
  "rsync.*": "Check the address with: rsync --list-only ADDRESS",
} as const;
