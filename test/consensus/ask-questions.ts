/** A question with the words of a right answer; null: no answer in the archives. */
export interface AskedQuestion {
  readonly list: "tomoyo" | "bpf" | "twisted";
  readonly asks: string;
  readonly says: RegExp | null;
}

const of =
  (list: AskedQuestion["list"]) =>
  (asks: string, says: RegExp | null): AskedQuestion => ({ list, asks, says });
const [tomoyo, bpf, twisted] = [of("tomoyo"), of("bpf"), of("twisted")];

/** Written from the mails before the first answer was tried: 30 with an answer, 10 without. */
export const askedQuestions: readonly AskedQuestion[] = [
  tomoyo("Where are the policy files located for TOMOYO 2.x?", /\/etc\/tomoyo\//),
  tomoyo(
    "Which kernel config option should be enabled only when building kernels for fuzzing tests?",
    /INSECURE_BUILTIN_SETTING/,
  ),
  tomoyo("When is the profile number inherited to a child domain?", /newly created by current domain/),
  tomoyo("Can TOMOYO be used with docker containers?", /modification of userspace|container environment/),
  tomoyo("Why did loading the modified akari module fail?", /OMIT_USERSPACE_LOADER/),
  tomoyo("What appears in the dmesg output when TOMOYO is activated?", /Mandatory Access Control activated/),
  tomoyo("Which function replaced probe_kernel_write in kernel 5.8?", /copy_to_kernel_nofault/),
  tomoyo("Where were the TOMOYO, AKARI and CaitSith projects moved to?", /SourceForge/i),
  tomoyo("Why did the projects leave OSDN.jp?", /unresponsive after being acquired/),
  tomoyo("What bug did Luiz find?", /execve\(\) request/),
  tomoyo("Why was the version bumped to 1.8.6 rather than 1.8.5p3?", /policy files need to be updated/),
  bpf(
    "What does the patch about stored bytes document?",
    /how the bytes are stored|instruction bytes are\s+stored/,
  ),
  bpf("Why was 0xdeadbeef changed in the example?", /0xdeadbeef is negative/),
  bpf("Where should the calling convention be described?", /psABI/),
  bpf("Which mailing list gets copied for changes of the instruction set document?", /bpf@ietf\.org/),
  bpf("What should happen with unused bits in a pseudo instruction?", /cleared|zero/),
  bpf("How can I test how the documentation renders?", /SPHINXDIRS=bpf htmldocs/),
  bpf("What does a typical cpu do at a CALL instruction?", /pushes the return address/),
  bpf("Who is added as a reviewer to the MAINTAINERS entry for standardization?", /my name as a reviewer/),
  bpf("Which document is the base for later RFC drafts on the ISA?", /instruction-set\.rst as a base/),
  bpf("Why do shift operations use a mask?", /shifting by a value out of range/),
  bpf("How long is the slot of the working group at IETF117?", /two hour slot/),
  twisted("How do I stop a Jabber client from reconnecting after a failed login?", /stopTrying/),
  twisted("Should applications use reactor.iterate()?", /not something Twisted applications/),
  twisted("Which reactor does dbus need?", /gtk2reactor/),
  twisted("What may stopListening return?", /deferred/),
  twisted("Which issue is fixed by the win32 installer release?", /991/),
  twisted("What is Idavoll?", /generic publish/),
  twisted("Where would NAT traversal code belong?", /twisted\.internet, or maybe twisted\.nat/),
  twisted("What does Christopher Zorn use the Jabber support for?", /bots and components/),
  tomoyo("What is the capital of Mongolia?", null),
  tomoyo("Which release of TOMOYO supports Windows 11?", null),
  tomoyo("How does TOMOYO integrate with Kubernetes admission webhooks?", null),
  tomoyo("Who won the football championship in 2022?", null),
  bpf("What licence fee does Oracle charge for BPF?", null),
  bpf("Which salary is paid to the chair of the working group?", null),
  bpf("When was the WebAssembly backend of the verifier merged?", null),
  twisted("Which version of Twisted introduces HTTP/3 support?", null),
  twisted("How much memory does the Rust implementation of the epoll reactor need?", null),
  twisted("On which date did Glyph marry?", null),
];

/** Written after the cures for the questions above, and before their first answer: nothing was fitted here. */
export const heldBackQuestions: readonly AskedQuestion[] = [
  twisted("Does adbapi care about what is passed to runQuery?", /doesn't care what you pass/),
  twisted("How does deferredGenerator work?", /define a generator/),
  twisted("Which file holds Andrea's workarounds for 1.3.0?", /twisted_bugs\.py/),
  twisted("Where is the page with projects based on Twisted?", /services\/success/),
  twisted("What is the network layer of Soya3D called?", /Tofu/),
  twisted("Which attribute should be added to ITransport?", /disconnecting/),
  tomoyo("Which parameter specifies the program that activates TOMOYO?", /TOMOYO_trigger|ACTIVATION_TRIGGER/),
  tomoyo("Which release fixed the bugs reported in October 2023?", /1\.8\.11/),
  twisted("Which graphics card does the snowball game require?", null),
  tomoyo("How many developers does SUSE pay for AKARI?", null),
];
