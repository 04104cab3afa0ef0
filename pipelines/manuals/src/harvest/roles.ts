/** What a column of a table is for; the words that say so, in six languages, are data. */
export type Role = "code" | "problem" | "cause" | "remedy" | "part" | "description" | "quantity" | "position";

const words: Readonly<Record<Role, readonly RegExp[]>> = {
  code: [
    /^(?:(?:error|fault|alarm|trouble|failure|status|display|service|diagnostic|event|warning|blink)\s*)?(?:codes?|display|indication)$/i,
    /^(?:error|fault|alarm|failure|event)\s*(?:no\.?|number|codes?)$/i,
    /^(?:fehler|störungs?|alarm)-?\s?(?:code|nr\.?|nummer)$/i,
    /^codes?\s(?:d['’]erreur|de\sd[ée]faut|errore)$|^codice(?:\s(?:di\s)?(?:errore|guasto))?$/i,
    /^c[óo]digo(?:\s(?:de\s)?(?:error|erro|falla|falha|alarma?))?$/i,
  ],
  problem: [
    /^(?:problems?|symptoms?|faults?|troubles?|malfunctions?|errors?|failures?|complaint|defects?)(?:\s*(?:description|message))?$/i,
    /^(?:störung(?:en)?|fehler|problem|symptom)$/i,
    /^(?:problemas?|s[íi]ntomas?|defeitos?|anomalias?|anomalías?|falhas?|fallas?|fallos?|aver[íi]as?)$/i,
    /^(?:pannes?|d[ée]fauts?|sympt[ôo]mes?|probl[èe]mes?|guast[oi]|difett[oi]|inconvenient[ei]|anomalie)$/i,
  ],
  cause: [
    /^(?:(?:probable|possible|likely|potential)\s+)?(?:causes?|reasons?)$/i,
    /^(?:m[öo]gliche\s+)?ursachen?$/i,
    /^(?:(?:posibles?|poss[íi]ve(?:l|is)|prov[áa]ve(?:l|is)|possibil[ei])\s+)?(?:causas?|causes?|cause)(?:\s+(?:prov[áa]ve(?:l|is)|poss[íi]ve(?:l|is)|posibles?|possibles?|probables?|possibil[ei]))?$/i,
  ],
  remedy: [
    /^(?:remed(?:y|ies)|solutions?|(?:corrective\s+|recommended\s+)?actions?(?:\s+(?:required|to\stake))?)$/i,
    /^(?:counter-?measures?|corrections?|what\sto\sdo|repairs?|corrective\smeasures?)$/i,
    /^(?:abhilfe|behebung|ma(?:ß|ss)nahmen?|l[öo]sung(?:en)?|beseitigung)$/i,
    /^(?:solu[çc](?:[ãa]o|[õo]es)|a[çc](?:[ãa]o|[õo]es)(?:\scorretivas?)?|corre[çc][ãa]o|rem[ée]dios?)$/i,
    /^(?:soluci(?:[óo]n|ones)|acci(?:[óo]n|ones)(?:\scorrectivas?)?|rem[èe]des?|rimedi[oi]?|soluzion[ei])$/i,
  ],
  part: [
    /^(?:parts?|article|order|item|material)\s?-?\s?(?:no\.?|nr\.?|number|code|#)$/i,
    /^(?:teile?-?\s?(?:nr\.?|nummer)|bestell-?\s?nr\.?|artikel-?\s?nr\.?|sachnummer|r[ée]f[ée]rence)$/i,
    /^(?:c[óo]digo\sda\spe[çc]a|n[úu]mero\sde\sparte|n\.?º?\sde\spe[çc]a|codice\sricambio)$/i,
  ],
  description: [
    /^(?:description|designation|denomination|part\sname|name|meaning|message|title)$/i,
    /^(?:bezeichnung|benennung|beschreibung|bedeutung|meldung|descri[çc][ãa]o|denomina[çc][ãa]o)$/i,
    /^(?:descripci[óo]n|denominaci[óo]n|d[ée]signation|descrizione|denominazione)$/i,
  ],
  quantity: [
    /^(?:qty\.?|quantity|pcs\.?|no\.\soff|menge|anzahl|st(?:ü|u)ck|quantidade|qtd\.?e?\.?|cantidad|cant\.?|quantit[ée]|qt[ée]\.?|quantit[àa])$/i,
  ],
  position: [/^(?:pos\.?|position|item|ref\.?|no\.?|key|index|rep\.?|posi[çc][ãa]o|posici[óo]n|posizione)$/i],
};

/** The role of a head cell; null: none that is known. */
export function roleOf(text: string): Role | null {
  const plain = text
    .replaceAll(/\s+/g, " ")
    .replace(/[:*]{1,20}$/, "")
    .trim();
  if (plain.length > 40) return null;
  const found = Object.entries(words).find(([, patterns]) => patterns.some((pattern) => pattern.test(plain)));
  return (found?.[0] as Role | undefined) ?? null;
}

/** What the head row makes of a table; null: nothing that is harvested. */
export function kindOf(roles: readonly (Role | null)[]): "trouble" | "parts" | null {
  const has = (role: Role) => roles.includes(role);
  if (has("code") && (has("cause") || has("remedy") || has("problem") || has("description")))
    return "trouble";
  if (has("problem") && (has("cause") || has("remedy"))) return "trouble";
  if (has("cause") && has("remedy")) return "trouble";
  if (has("part") && (has("description") || has("quantity"))) return "parts";
  return has("position") && has("description") && has("quantity") ? "parts" : null;
}

/** The shape of a code that stands alone in a column for codes. */
export const isCodeShaped = (text: string): boolean =>
  /^#?(?:[A-Z]{1,4}[-. ]?)?\d{1,5}(?:[-._]\d{1,4}){0,3}[A-Za-z]?$/.test(text) ||
  (/^[A-Z]{1,3}[-.]?[A-Z0-9]{1,5}$/.test(text) && /\d|^[A-Z]{2,4}$/.test(text)) ||
  /^(?:[A-Z]|\d)[A-Z0-9]{0,3}(?:[-.][A-Z0-9]{1,4}){1,3}$/i.test(text);

export const isPartShaped = (text: string): boolean =>
  text.length >= 3 && /\d/.test(text) && /^[A-Z0-9][A-Z0-9 ./-]*$/.test(text);
