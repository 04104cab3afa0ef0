/** The same key for all names and addresses of a person. */
export type PersonKey = (person: { readonly name: string; readonly address: string }) => string;

/** Without a book of people, an address is a person. */
export const plainKey: PersonKey = ({ name, address }) => (address || name).toLowerCase();
