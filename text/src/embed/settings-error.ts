/** A variable has an impossible value. */
export class SettingsError extends Error {
  constructor(variable: string, problem: string, expected: string) {
    super(`${variable} ${problem}; expected ${expected}.`);
    this.name = "SettingsError";
  }
}
