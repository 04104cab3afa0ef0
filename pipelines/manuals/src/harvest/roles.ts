import { composedRole } from "./head-words.ts";

/** What a column of a table is for; the words that say so, in six languages, are data. */
export type Role = "code" | "problem" | "cause" | "remedy" | "part" | "description" | "quantity" | "position";

const words: Readonly<Record<Role, readonly RegExp[]>> = {
  code: [
    /^(?:(?:error|fault|alarm|trouble|failure|status|display|service|diagnostic|event|warning|blink)\s*)?(?:codes?|display|indication)$/i,
    /^(?:error|fault|alarm|failure|event)\s*(?:no\.?|number|codes?)$/i,
    /^(?:fehler|störungs?|alarm|meldungs?)-?\s?(?:codes?|nr\.?|nummer|anzeige)$|^anzeige$/i,
    /^(?:error|fault|alarm|trouble|display(?:ed)?|panel|led|message)\s*(?:codes?|indication|display|message|id)(?:\s*(?:no\.?|#))?$/i,
    /^(?:spn|fmi|dtc|mid|flash(?:es|\scodes?)?|blinks?)$/i,
    /^codes?\s(?:d['’]erreur|de\sd[ée]faut|errore)$|^codice(?:\s(?:di\s)?(?:errore|guasto))?$/i,
    /^c[óo]digo(?:\s(?:de\s)?(?:error|erro|falla|falha|alarma?))?$/i,
  ],
  problem: [
    /^(?:problems?|symptoms?|faults?|troubles?|malfunctions?|errors?|failures?|complaint|defects?)(?:\s*(?:description|message))?$/i,
    /^(?:störung(?:en)?|fehler|problem|symptom)(?:beschreibung|bild|art)?$/i,
    /^(?:if|trouble\s+symptoms?|fault\s+(?:condition|symptom)|condition|observation|what\s+(?:happens|is\s+wrong)|malfunction\s+description)$/i,
    /^(?:error|fault|alarm)\s+(?:name|text|title|type)$|^(?:fehler|störungs)(?:text|meldung|beschreibung)$/i,
    /^(?:problemas?|s[íi]ntomas?|defeitos?|anomalias?|anomalías?|falhas?|fallas?|fallos?|aver[íi]as?)$/i,
    /^(?:pannes?|d[ée]fauts?|sympt[ôo]mes?|probl[èe]mes?|guast[oi]|difett[oi]|inconvenient[ei]|anomalie)$/i,
  ],
  cause: [
    /^(?:(?:probable|possible|likely|potential)\s+)?(?:causes?|reasons?)$/i,
    /^(?:m[öo]gliche[rn]?\s+)?ursachen?$|^(?:m[öo]glicher\s+)?grund$/i,
    /^(?:(?:probable|possible|likely)\s+)?(?:cause\(s\)|causes?\s+of\s+(?:the\s+)?(?:fault|failure|trouble|problem)|fault\s+causes?|suspected\s+(?:part|area)s?)$/i,
    /^(?:(?:posibles?|poss[íi]ve(?:l|is)|prov[áa]ve(?:l|is)|possibil[ei])\s+)?(?:causas?|causes?|cause)(?:\s+(?:prov[áa]ve(?:l|is)|poss[íi]ve(?:l|is)|posibles?|possibles?|probables?|possibil[ei]))?$/i,
  ],
  remedy: [
    /^(?:remed(?:y|ies)|solutions?|(?:corrective\s+|recommended\s+)?actions?(?:\s+(?:required|to\stake))?)$/i,
    /^(?:counter-?measures?|corrections?|what\sto\sdo|repairs?|corrective\smeasures?)$/i,
    /^(?:remed(?:y|ies)|solution|correction|action)\(?s?\)?(?:\s*\/\s*\w+)?$|^(?:check|what\s+to\s+check|check\s+points?|how\s+to\s+(?:fix|correct)|suggested\s+(?:action|remedy|solution)s?|possible\s+(?:remed(?:y|ies)|solutions?)|then|response|troubleshooting|measures?|procedures?)$/i,
    /^(?:abhilfe(?:ma(?:ß|ss)nahmen?)?|(?:fehler|störungs)behebung|was\s(?:ist\s)?(?:zu\s)?tun|behebung|ma(?:ß|ss)nahmen?|l[öo]sung(?:en)?|beseitigung)$/i,
    /^(?:solu[çc](?:[ãa]o|[õo]es)|a[çc](?:[ãa]o|[õo]es)(?:\scorretivas?)?|corre[çc][ãa]o|rem[ée]dios?)$/i,
    /^(?:soluci(?:[óo]n|ones)|acci(?:[óo]n|ones)(?:\scorrectivas?)?|rem[èe]des?|rimedi[oi]?|soluzion[ei])$/i,
  ],
  part: [
    /^(?:(?:spare\s)?parts?|article|order(?:ing)?|item|material|catalog(?:ue)?|stock|product)\s?-?\s?(?:no\.?|nr\.?|n[°º]\.?|number|code|#)$|^(?:p\/?n|sku)$/i,
    /^(?:n[°ºo.]{1,2}|n[úu]m(?:ero|\.)?)\s?(?:da\s|de\s(?:la\s)?)?(?:pe[çc]as?|parte|pieza|item|[íi]tem|art[íi]culo|artigo|article|pi[èe]ce|ricambio)$/i,
    /^(?:n[°ºo]\.?|num[ée]ro)\s?(?:de\s)?(?:pi[èe]ce|commande|r[ée]f[ée]rence)$|^(?:codice|c[óo]d(?:igo|\.)?)\s(?:articolo|art\.?|pe[çc]a|pieza|producto|produto)$/i,
    /^(?:teile?-?\s?(?:nr\.?|nummer)|bestell-?\s?nr\.?|artikel-?\s?nr\.?|sachnummer|r[ée]f[ée]rence)$/i,
    /^(?:c[óo]digo\sda\spe[çc]a|n[úu]mero\sde\sparte|n\.?º?\sde\spe[çc]a|codice\sricambio)$/i,
  ],
  description: [
    /^(?:(?:part\s)?(?:description|designation|denomination|name)|meaning|message|title|text|details?|explanation|definition)$/i,
    /^(?:bezeichnung|benennung|beschreibung|bedeutung|meldung|descri[çc][ãa]o|denomina[çc][ãa]o)$/i,
    /^(?:descripci[óo]n|denominaci[óo]n|d[ée]signation|descrizione|denominazione)$/i,
  ],
  quantity: [
    /^(?:qty\.?|quantity|pcs\.?|no\.\soff|menge|anzahl|st(?:ü|u)ck|quantidade|qtd\.?e?\.?|cantidad|cant\.?|quantit[ée]|qt[ée]\.?|quantit[àa])$/i,
  ],
  position: [
    /^(?:pos\.?(?:\s?(?:nr|no)\.?)?|position|item|[íi]tem|ref\.?(?:\s?no\.?)?|no\.?|nr\.?|n[°º]\.?|#|key|index|callout|fig\.?|rep\.?|posi[çc][ãa]o|posici[óo]n|posizione)$/i,
  ],
};

const history = /^(?:dates?|datum|fecha|data|author|autor|auteur|autore|released?|revised by|geändert von)$/i;

/** A head with a date or an author: versions of the document, not troubles. */
export const isHistory = (heads: readonly string[]): boolean =>
  heads.some((text) => history.test(text.trim()));

/** The role of a head cell; null: none that is known. */
export function roleOf(text: string): Role | null {
  const plain = text
    .replaceAll(/\s+/g, " ")
    .replace(/[:*]{1,20}$/, "")
    .trim();
  if (plain.length > 40) return null;
  const found = Object.entries(words).find(([, patterns]) => patterns.some((pattern) => pattern.test(plain)));
  return (found?.[0] as Role | undefined) ?? composedRole(plain);
}

/** Whether a line is made of heads only, such as `Code Problem Cause Remedy`. */
export function namesRoles(line: string): boolean {
  const parts = line.split(/\s+/);
  const roles = new Set<Role>();
  for (let at = 0; at < parts.length; ) {
    const length = [3, 2, 1].find((count) => roleOf(parts.slice(at, at + count).join(" ")) !== null);
    if (length === undefined) return false;
    roles.add(roleOf(parts.slice(at, at + length).join(" ")) as Role);
    at += length;
  }
  return roles.size >= 2;
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
  /^(?:0x[0-9A-Fa-f]{1,8}|[A-Z]{1,3}\d{1,3}[-.]\d{1,4})$/.test(text) ||
  /^#?(?:[A-Z]{1,4}[-. ]?)?\d{1,5}(?:[-._]\d{1,4}){0,3}[A-Za-z]?$/.test(text) ||
  (/^[A-Z]{1,3}[-.]?[A-Z0-9]{1,5}$/.test(text) && /\d|^[A-Z]{2,4}$/.test(text)) ||
  /^(?:[A-Z]|\d)[A-Z0-9]{0,3}(?:[-.][A-Z0-9]{1,4}){1,3}$/i.test(text);

export const isPartShaped = (text: string): boolean =>
  text.length >= 3 && /\d/.test(text) && /^[A-Z0-9][A-Z0-9 ./-]*$/.test(text);
