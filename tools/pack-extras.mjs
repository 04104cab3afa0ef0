// Called by npm before and after it packs a package: every package carries the licence and the changelog of the repository.
import { copyFileSync, rmSync } from "node:fs";

const root = new URL("../", import.meta.url);
for (const name of ["LICENSE", "CHANGELOG.md"]) {
  if (process.argv.includes("--remove")) rmSync(name, { force: true });
  else copyFileSync(new URL(name, root), name);
}
