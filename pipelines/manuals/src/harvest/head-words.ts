type Kind = "code" | "trouble" | "saying" | "cause" | "remedy" | "filler";

/** Words of which heads are put together, in six languages; German compounds are taken apart first. */
const kinds: Readonly<Record<Kind, string>> = {
  code: "code codes codice codici código códigos codigo nr no n° nº n.º n. num number nummer numéro numero número id anzeige display led kennung kennziffer kennzahl ziffer indication",
  trouble:
    "error errors fault faults alarm alarms failure failures trouble troubles malfunction problem problems symptom symptoms fehler störung störungen stoerung alarm meldung erreur erreurs défaut défauts panne pannes alarme alarmes symptôme symptômes problème problèmes anomalie anomalies incident fallo fallos falla fallas avería averías alarma alarmas error errores síntoma síntomas problema problemas incidencia falha falhas erro erros defeito defeitos sintoma sintomas avaria avarias guasto guasti errore errori allarme allarmi difetto difetti anomalia sintomo inconveniente diagnostic diagnostics warning event service",
  saying:
    "description message meaning text name title type condition explanation beschreibung bedeutung meldung bild art text bezeichnung signification description libellé intitulé message significado descripción mensaje texto descrição mensagem designação significato descrizione messaggio testo detail details",
  cause:
    "cause causes reason reasons origin source sources ursache ursachen grund gründe quelle raison raisons origine origines motif motifs causa causas motivo motivos razón razones razão origem origen causa cause motivo motivi ragione origine",
  remedy:
    "remedy remedies solution solutions action actions correction corrections countermeasure countermeasures fix repair measure measures procedure abhilfe abhilfemaßnahme abhilfemaßnahmen maßnahme maßnahmen massnahme behebung beseitigung lösung lösungen vorgehen reparatur remède remèdes solution solutions action actions mesure mesures intervention dépannage solución soluciones acción acciones remedio remedios medida medidas corrección reparación solução soluções ação ações correção medida medidas providência providências reparo rimedio rimedi soluzione soluzioni azione azioni intervento interventi rimedi provvedimento provvedimenti",
  filler:
    "possible possibles probable probables likely potential suspected suggested recommended corrective required to take of the for and / & - – mögliche möglicher möglichen wahrscheinliche wahrscheinlicher empfohlene der des die das zur und posible posibles correctiva correctivas recomendada recomendado de la el del los las y possível possíveis provável prováveis corretiva corretivas recomendada da do dos das e possibile possibili probabile probabili correttiva correttive consigliata di della dei delle il la le les du à corrective correctives recommandée recommandées conseillée d l",
};

const kindOfWord = new Map<string, Set<Kind>>();
for (const [kind, list] of Object.entries(kinds))
  for (const word of list.split(" "))
    kindOfWord.set(word, (kindOfWord.get(word) ?? new Set()).add(kind as Kind));

const compound = /^(fehler|störungs?|stoerungs?|alarm|meldungs?|problem)-?(?=\p{L}{3})/u;

/** The role of a head whose words are all known: `Code défaut`, `Fehlerursache`, `Azione correttiva`. */
export function composedRole(text: string): "code" | "problem" | "cause" | "remedy" | null {
  const words = text
    .toLowerCase()
    .split(/[\s'’()[\]]+/)
    .flatMap((word) => (kindOfWord.has(word) ? [word] : takeApart(word)))
    .filter((word) => word !== "");
  const known = words.map((word) => kindOfWord.get(word));
  if (words.length === 0 || known.some((one) => one === undefined)) return null;
  const has = (kind: Kind) => known.some((one) => one?.has(kind));
  if (has("remedy")) return "remedy";
  if (has("cause")) return "cause";
  if (has("code")) return "code";
  return has("trouble") || has("saying") ? "problem" : null;
}

function takeApart(word: string): readonly string[] {
  const bare = word.replaceAll(/[.:*]{1,9}$/g, "");
  if (kindOfWord.has(bare)) return [bare];
  const [start] = compound.exec(bare) ?? [];
  if (start === undefined) return [bare];
  return ["fehler", bare.slice(start.length)];
}
