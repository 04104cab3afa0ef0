/** The module of the isolated stage lies beside the bundled worker under this name. */
export const isolatedModule = "parsing";
