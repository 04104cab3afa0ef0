/** Headings that promise codes or trouble tables, in the languages with known heads. */
const patterns = [
  /\b(?:error|fault|alarm|trouble|failure|diagnostic|blink|flash|status|return|exception|exit|warning)\s*(?:(?:status|exception)\s*)?(?:codes?|messages?|list|displays?|numbers?)\b/i,
  /\berrors? (?:generated|reported|and)\b|trouble\s?shooting|fault\s?finding|\bwhen things go wrong\b|\bproblems? and (?:solutions?|remedies)\b|\bproblem solving\b/i,
  /st(?:ö|o)rung|fehler(?:codes?|suche|meldung|liste|tabelle|behebung|diagnose)/i,
  /d[ée]pannage|codes? (?:d['’](?:erreur|alarme)|de d[ée]faut)|messages? d['’](?:erreur|alarme)|r[ée]solution des probl[èe]mes/i,
  /defeitos|falhas|solu[çc][ãa]o de problemas|(?:c[óo]digos?|mensagens|mensajes|lista) de (?:erros?|error(?:es)?|fallas?|fallos?|alarmas?|alarmes?|falhas?)/i,
  /soluci[óo]n de (?:problemas|aver[íi]as|fallos)|localizaci[óo]n de (?:fallos|aver[íi]as)/i,
  /guasti|codici (?:di )?(?:errore|allarme)|(?:risoluzione|soluzione) dei problemi|messaggi di (?:errore|allarme)|ricerca (?:dei )?guasti/i,
  /^(?:[\dA-Z][\d.]{0,8}\s+)?(?:errors?|faults?|alarms?|warnings?|fehler|warnungen|alarme|erreurs?|alarmes?|erros?|alarmas?|errores|fallos|errori|allarmi)(?:\s{0,3}[/,&]\s{0,3}\p{L}{3,20}){0,3}$/iu,
];

export const promises = {
  test: (heading: string): boolean => patterns.some((pattern) => pattern.test(heading)),
};
