import { lstat } from "node:fs/promises";

/** Nobody but root and this user may have made it: what a stranger planted, the stranger can change under us. */
export async function refuseForeign(
  path: string,
  {
    secret = false,
    uid = process.getuid?.(),
  }: { readonly secret?: boolean; readonly uid?: number | undefined } = {},
): Promise<void> {
  // Windows has owners of another kind.
  if (uid === undefined) return;
  const found = await lstat(path);
  const refuse = (problem: string, cure: string): never => {
    throw new Error(`${path} is refused: ${problem}. ${cure}`);
  };
  if (secret && !found.isFile()) refuse("it is no plain file", "Remove it; a new one is made.");
  if (found.uid !== uid)
    refuse(
      `it belongs to user ${found.uid} and not to you (${uid})`,
      `Become that user (sudo -u '#${found.uid}'), choose another folder with --data, or take it over with chown if you trust what is in it.`,
    );
  const tooOpen = found.mode & (secret ? 0o077 : 0o002);
  if (tooOpen !== 0)
    refuse(
      secret ? "others may read or change it" : "everybody may write to it",
      secret ? "Remove it; a new one is made." : `Close it with: chmod o-w ${path}`,
    );
}
