// Adds to package-lock.json the optional packages of other platforms that npm leaves out when the registry it asked does
// not have them: `npm ci` refuses a lock file without them, on every platform. Run it after `npm install`; a lock file
// that is complete stays as it is. Another lock file than the root's is given as an argument.
import { readFileSync, writeFileSync } from "node:fs";

const file = process.argv[2] ?? new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));

for (const [place, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const version = range.replace(/^[\^~]/, "");
    const [shared, own] = [`node_modules/${name}`, `${place}/node_modules/${name}`];
    if (lock.packages[own] || lock.packages[shared]?.version === version) continue;
    // npm knows better when it found the package in a version of its own choice.
    if (lock.packages[shared] && version !== range) continue;
    lock.packages[lock.packages[shared] ? own : shared] = { version, ...traitsOf(name, dev) };
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
const text = `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`;
if (text !== readFileSync(file, "utf8")) writeFileSync(file, text);

/** Such packages say in their names where they belong: `@rolldown/binding-linux-x64-musl`. */
function traitsOf(name, dev) {
  const words = name.split(/[-/]/);
  const named = (choices) => choices.split(" ").filter((choice) => words.includes(choice));
  const os = named("aix android darwin freebsd linux netbsd openbsd openharmony sunos win32");
  const cpu = named("arm arm64 ia32 loong64 ppc64 riscv64 s390x wasm32 x64");
  const libc = words.includes("musl") ? ["musl"] : os[0] === "linux" ? ["glibc"] : [];
  if (cpu.length === 0) throw new Error(`The name of ${name} does not say for which platform it is.`);
  return {
    cpu,
    ...(dev ? { dev } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
}
