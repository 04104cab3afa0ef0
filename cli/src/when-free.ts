/** Commands that only look have the folder for a moment; it is not worth an error that two of them meet. */
const patienceMs = 10_000;
const lookAgainMs = 200;

/** Opens an embedded database as soon as nobody else has it for himself. */
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
