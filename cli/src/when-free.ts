/** Read-only commands hold the folder for a moment; a collision is not worth an error. */
const patienceMs = 10_000;
const lookAgainMs = 200;

/** Opens an embedded database as soon as the folder is free. */
export async function whenFree<T>(open: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + patienceMs; ; ) {
    try {
      return await open();
    } catch (error) {
      const busy = (error as { code?: unknown }).code === "FOLDER_IN_USE";
      if (!busy || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  }
}
