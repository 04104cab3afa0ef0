import { Argument } from "@commander-js/extra-typings";
import { bashScript, fishScript, treeOf, zshScript } from "../completion-scripts.ts";
import type { Adding } from "../run.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function addCompletion({ program, console }: Adding): void {
  program
    .command("completion")
    .description("Print a completion script for a shell")
    .addArgument(new Argument("<shell>", "which one").choices(shells))
    .addHelpText(
      "after",
      `
Examples:
  headway completion bash > ~/.local/share/bash-completion/completions/headway
  headway completion zsh > "\${fpath[1]}/_headway"
  headway completion fish > ~/.config/fish/completions/headway.fish
  source <(headway completion bash)                        only in this shell`,
    )
    .action((shell) => {
      const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
      console.write(script(treeOf(program)));
    });
}
