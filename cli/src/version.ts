/** The version of the command and of the packages that come with it. */
export const version = "0.1.0";
