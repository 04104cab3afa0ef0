import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** Possible words after a command line; made from the program itself, so never out of date. */
export interface CommandTree {
  readonly name: string;
  readonly description: string;
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly choices: readonly string[];
    readonly takesValue: boolean;
  }[];
  /** Known values of the first argument. */
  readonly choices: readonly string[];
  readonly commands: readonly CommandTree[];
}

export function treeOf(command: CommandUnknownOpts): CommandTree {
  return {
    name: command.name(),
    description: firstSentence(command.description()),
    options: [
      ...command.options.flatMap(({ long, description, argChoices, required, optional }) =>
        long
          ? [
              {
                flag: long,
                description: firstSentence(description),
                choices: argChoices ?? [],
                takesValue: required || optional,
              },
            ]
          : [],
      ),
      { flag: "--help", description: "show what it does, with examples", choices: [], takesValue: false },
    ],
    choices: command.registeredArguments[0]?.argChoices ?? [],
    commands: command.commands.map(treeOf),
  };
}

const firstSentence = (text: string): string => (text.split("\n", 1)[0] as string).slice(0, 80);

interface Path {
  readonly words: readonly string[];
  readonly tree: CommandTree;
}

const pathsOf = (tree: CommandTree, words: readonly string[] = []): Path[] => [
  { words, tree },
  ...tree.commands.flatMap((command) => pathsOf(command, [...words, command.name])),
];

const wordsAfter = ({ commands, options, choices }: CommandTree): string[] => [
  ...commands.map(({ name }) => name),
  ...choices,
  ...options.map(({ flag }) => flag),
];

/** Walks the typed words to find the command, then offers the next words; else files. */
export function bashScript(tree: CommandTree): string {
  const cases = pathsOf(tree).map(
    ({ words, tree: at }) => `    ${quote(words.join(" "))}) words=${quote(wordsAfter(at).join(" "))} ;;`,
  );
  const nested = pathsOf(tree)
    .filter(({ words }) => words.length > 0)
    .map(({ words }) => quote(words.join(" ")));
  const values = pathsOf(tree).flatMap(({ words, tree: { options } }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ flag, choices }) =>
          `    ${quote([...words, flag].join(" "))}) COMPREPLY=($(compgen -W ${quote(choices.join(" "))} -- "$current")); return ;;`,
      ),
  );
  const takesValue = [
    ...new Set(
      pathsOf(tree).flatMap(({ tree: { options } }) =>
        options.filter((one) => one.takesValue).map(({ flag }) => flag),
      ),
    ),
  ];
  return `# bash completion for headway; made by: headway completion bash
_headway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "\${path:+$path }$word" in
      ${nested.join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "\${path:+$path }$previous" in
${values.join("\n")}
  esac
  case "$previous" in
    ${takesValue.join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ \${#COMPREPLY[@]} -eq 0 && "$current" != -* ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _headway headway
`;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function zshScript(tree: CommandTree): string {
  const cases = pathsOf(tree).map(({ words, tree: { commands, choices, options } }) => {
    const entry = (name: string, description: string) =>
      quote(`${name.replaceAll(":", "\\:")}:${description}`);
    const offered = [
      ...commands.map(({ name, description }) => entry(name, description)),
      ...choices.map((choice) => entry(choice, "")),
      ...options.map(({ flag, description }) => entry(flag, description)),
    ];
    return `    ${quote(words.join(" "))}) offered=(${offered.join(" ")}) ;;`;
  });
  const nested = pathsOf(tree)
    .filter(({ words }) => words.length > 0)
    .map(({ words }) => quote(words.join(" ")));
  const values = pathsOf(tree).flatMap(({ words, tree: { options } }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ flag, choices }) =>
          `    ${quote([...words, flag].join(" "))}) compadd -- ${choices.map(quote).join(" ")}; return ;;`,
      ),
  );
  return `#compdef headway
# zsh completion for headway; made by: headway completion zsh
_headway() {
  local at="" word index
  local -a offered
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    case "\${at:+$at }$word" in
      ${nested.join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "\${at:+$at }\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$at" in
${cases.join("\n")}
  esac
  _describe 'headway' offered
  _files
}
if [ "$funcstack[1]" = "_headway" ]; then _headway "$@"; else compdef _headway headway; fi
`;
}

export function fishScript(tree: CommandTree): string {
  const lines = pathsOf(tree).flatMap(({ words, tree: { commands, choices, options } }) => {
    const inner = commands.map(({ name }) => name);
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const unseen = inner.length > 0 ? [`not __fish_seen_subcommand_from ${inner.join(" ")}`] : [];
    const condition = quote([...seen, ...unseen].join("; and ") || "true");
    const here = quote(seen.join("; and ") || "__fish_use_subcommand");
    return [
      ...commands.map(
        ({ name, description }) =>
          `complete -c headway -n ${condition} -f -a ${quote(name)} -d ${quote(description)}`,
      ),
      ...(choices.length > 0 ? [`complete -c headway -n ${here} -f -a ${quote(choices.join(" "))}`] : []),
      ...options.map(
        ({ flag, description, choices: values, takesValue }) =>
          `complete -c headway -n ${here} -l ${flag.slice(2)}${takesValue ? " -r" : ""}${values.length > 0 ? ` -f -a ${quote(values.join(" "))}` : ""} -d ${quote(description)}`,
      ),
    ];
  });
  return `# fish completion for headway; made by: headway completion fish\n${lines.join("\n")}\n`;
}
