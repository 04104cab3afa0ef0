export interface LayoutWords {
  readonly heading: string;
  readonly code: readonly string[];
  readonly problem: readonly string[];
  readonly cause: readonly string[];
  readonly remedy: readonly string[];
  readonly fields: readonly [cause: string, remedy: string];
  /** Problem, cause, remedy. */
  readonly troubles: readonly (readonly [string, string, string])[];
}

/** Words of heads by language: the last of each list was written after the readers; its first run led to a rule for columns with an unknown head. */
export const layoutWords: Readonly<Record<string, LayoutWords>> = {
  en: {
    heading: "Error codes",
    code: ["Error code", "Fault No.", "Alarm", "Code No."],
    problem: ["Problem", "Fault description", "Meaning", "Indicated fault"],
    cause: ["Possible cause", "Probable reason", "Cause of error", "Possible origin"],
    remedy: ["Remedy", "Corrective action", "What to do", "Countermeasure"],
    fields: ["Cause", "Remedy"],
    troubles: [
      ["Motor too hot", "Bearing runs dry", "Grease the bearing and let the motor cool"],
      ["No water", "Valve is closed", "Open the valve by hand"],
      ["Door open", "Switch is bent", "Replace the switch of the door"],
      ["Fan blocked", "Dust on the blades", "Clean the fan with a dry brush"],
    ],
  },
  de: {
    heading: "Störungen und Abhilfe",
    code: ["Fehlercode", "Störungsnummer", "Fehler-Nr.", "Meldungs-Nr."],
    problem: ["Störung", "Fehlerbild", "Bedeutung", "Fehlerbeschreibung"],
    cause: ["Mögliche Ursache", "Ursachen", "Fehlerursache", "Wahrscheinlicher Grund"],
    remedy: ["Abhilfe", "Maßnahme", "Fehlerbehebung", "Lösungsvorschlag"],
    fields: ["Ursache", "Abhilfe"],
    troubles: [
      ["Motor zu heiß", "Lager läuft trocken", "Lager schmieren und Motor abkühlen lassen"],
      ["Kein Wasser", "Ventil geschlossen", "Ventil von Hand öffnen"],
      ["Tür offen", "Schalter verbogen", "Schalter der Tür ersetzen"],
      ["Lüfter blockiert", "Staub auf den Flügeln", "Lüfter trocken reinigen"],
    ],
  },
  fr: {
    heading: "Codes d'erreur",
    code: ["Code d'erreur", "Code défaut", "N° d'alarme", "Numéro d'erreur"],
    problem: ["Panne", "Symptôme", "Signification", "Anomalie constatée"],
    cause: ["Cause possible", "Causes probables", "Origine", "Raison"],
    remedy: ["Remède", "Solution", "Action corrective", "Que faire"],
    fields: ["Cause", "Remède"],
    troubles: [
      ["Moteur trop chaud", "Palier sec", "Graisser le palier et laisser refroidir"],
      ["Pas d'eau", "Vanne fermée", "Ouvrir la vanne à la main"],
      ["Porte ouverte", "Contact plié", "Remplacer le contact de la porte"],
      ["Ventilateur bloqué", "Poussière", "Nettoyer le ventilateur"],
    ],
  },
  es: {
    heading: "Códigos de error",
    code: ["Código de error", "Código", "N.º de fallo", "Código de avería"],
    problem: ["Problema", "Avería", "Significado", "Descripción del fallo"],
    cause: ["Causa posible", "Causas", "Motivo", "Razón posible"],
    remedy: ["Solución", "Acción correctiva", "Remedio", "Qué hacer"],
    fields: ["Causa", "Solución"],
    troubles: [
      ["Motor caliente", "Cojinete seco", "Engrase el cojinete y deje enfriar"],
      ["Sin agua", "Válvula cerrada", "Abra la válvula a mano"],
      ["Puerta abierta", "Contacto doblado", "Sustituya el contacto de la puerta"],
      ["Ventilador bloqueado", "Polvo", "Limpie el ventilador"],
    ],
  },
  pt: {
    heading: "Códigos de erro",
    code: ["Código de erro", "Código da falha", "Alarme", "Nº da falha"],
    problem: ["Defeito", "Problema", "Significado", "Falha"],
    cause: ["Causa provável", "Possíveis causas", "Motivo", "Origem"],
    remedy: ["Solução", "Ação corretiva", "Correção", "O que fazer"],
    fields: ["Causa", "Solução"],
    troubles: [
      ["Motor quente", "Rolamento seco", "Lubrifique o rolamento e deixe esfriar"],
      ["Sem água", "Válvula fechada", "Abra a válvula com a mão"],
      ["Porta aberta", "Contato torto", "Substitua o contato da porta"],
      ["Ventilador parado", "Poeira", "Limpe o ventilador"],
    ],
  },
  it: {
    heading: "Codici di errore",
    code: ["Codice errore", "Codice allarme", "N. guasto", "Codice guasto"],
    problem: ["Guasto", "Problema", "Significato", "Anomalia"],
    cause: ["Possibile causa", "Cause probabili", "Motivo", "Origine"],
    remedy: ["Rimedio", "Soluzione", "Azione correttiva", "Cosa fare"],
    fields: ["Causa", "Rimedio"],
    troubles: [
      ["Motore caldo", "Cuscinetto asciutto", "Ingrassare il cuscinetto e lasciare raffreddare"],
      ["Manca acqua", "Valvola chiusa", "Aprire la valvola a mano"],
      ["Porta aperta", "Contatto piegato", "Sostituire il contatto della porta"],
      ["Ventola bloccata", "Polvere", "Pulire la ventola"],
    ],
  },
};
