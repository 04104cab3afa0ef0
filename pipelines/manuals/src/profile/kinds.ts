/** What a manual is for; its title says so in six languages. */
export type ManualType = "service" | "user" | "installation" | "parts" | "data-sheet" | "reference";

export const kinds: Readonly<Record<ManualType, RegExp>> = {
  service:
    /service\s?(?:manual|handbook|guide)|repair\s?manual|workshop\s?manual|maintenance\s?(?:manual|handbook|instructions)|servicehandbuch|werkstatthandbuch|reparaturanleitung|wartungs(?:anleitung|handbuch)|manual\sde\s(?:servi[çc]o|servicio|reparaci[óo]n|manuten[çc][ãa]o|mantenimiento)|manuel\sd(?:e\s|['’])(?:service|atelier|r[ée]paration|entretien)|manuale\s(?:di\s)?(?:servizio|officina|manutenzione)|aviation\smaintenance/i,
  user: /user(?:['’]?s)?\s?(?:manual|guide)|operat(?:ing|or['’]?s?|ion)\s?(?:instructions?|manual|guide)|owner['’]?s?\smanual|instruction\s?(?:manual|book)|instructions\sfor\suse|quick\sstart|bedienungsanleitung|betriebsanleitung|gebrauchs(?:anweisung|anleitung)|benutzerhandbuch|manual\sd[oe]l?\s(?:usu[áa]rio|propriet[áa]rio|propietario|instru[çc][õo]es|instrucciones|uso|opera[çc][ãa]o|operaci[óo]n)|mode\sd['’]emploi|(?:manuel|notice|guide)\sd['’]utilis|manuale\s(?:d['’]uso|utente|dell['’]utente)|istruzioni\sper\sl['’]uso/i,
  installation:
    /installation\s?(?:manual|guide|instructions?)|mounting\sinstructions|montageanleitung|installationsanleitung|manual\sde\s(?:instala[çc][ãa]o|instalaci[óo]n|montaje|montagem)|notice\s(?:d['’]installation|de\smontage)|manuale\sd['’]?\s?installazione|istruzioni\sdi\smontaggio/i,
  parts:
    /(?:spare\s)?parts\s?(?:list|catalogu?e?|manual|book)|ersatzteil(?:liste|katalog)|cat[áa]logo\sde\s(?:pe[çc]as|piezas|repuestos)|lista\sde\s(?:pe[çc]as|piezas|repuestos)|(?:liste|catalogue)\sde\spi[èe]ces|catalogo\s(?:parti\sdi\s)?ricambi/i,
  "data-sheet":
    /data\s?sheet|datenblatt|folha\sde\sdados|hoja\sde\sdatos|fiche\stechnique|scheda\stecnica|specification\ssheet/i,
  reference:
    /reference\s?(?:manual|guide|handbook)|technical\s?(?:manual|reference|handbook)|manual\st[ée]cnico|technisches?\shandbuch|manuel\stechnique|manuale\stecnico|programm(?:er['’]?s|ing)\s(?:manual|guide)|\bthe\s.{2,40}\smanual\b|redpaper|redbook/i,
};

/** Legal forms of companies, after a name. */
export const company =
  /(?<![\p{L}\p{N}])((?:\p{Lu}[\p{L}\p{N}&'’.-]{0,30}\s{1,3}){0,4}\p{Lu}[\p{L}\p{N}&'’.-]{0,30}),?\s{1,3}(?:Inc|Corp(?:oration)?|GmbH|AG|KG|Ltd|Limited|Ltda|LLC|S\.?A\.?(?:S|\.)?|S\.?p\.?A|S\.?r\.?l|B\.?V|N\.?V|Oy|A\/S|AB|Co|Company|Foundation|Industries|Bombas|Pumps)\b\.?/u;
export const copyright =
  /(?:©|\(c\)|copyright)\s{0,3}(?:©|\(c\))?\s{0,3}(?:\d{4}(?:\s?[-–,]\s?\d{2,4}){0,9},?\s{0,3}){0,5}(?:by\s{1,3})?(\p{Lu}[\p{L}\p{N}&'’. -]{1,50}?)(?:[.,;|]|\s(?:all|alle|todos|tous|tutti)\b|$)/iu;
export const site =
  /\b(?:www\.|https?:\/\/(?:www\.)?)([a-z0-9-]{3,30})\.(?:com|net|org|de|fr|es|it|eu|co|ind|io|us|ch|at|pt|br)\b/i;
export const modelWord =
  /\b(?:models?|modell?o?s?|mod[èe]les?|modelli|type|typ|tipo|series?|s[ée]ries?|baureihe|linha)\s{0,3}:?\s{1,5}((?:\p{Lu}[\p{Lu}\p{N}/.-]{1,14}))/iu;
export const modelShape = /\b[A-Z]{1,6}[-/ ]?\d{1,5}[A-Z0-9/-]{0,6}\b/g;
/** Standards, dates and sizes look like models. */
export const noModel =
  /^(?:ISO|DIN|EN|IEC|ANSI|ASME|ASTM|API|UL|IEEE|VDE|BS|JIS|NBR|GNU|PDF|USB|RS|IP|A[0-5]$|REV|VER|PAGE|NO|CHAPTER|FIG|TAB|DN|PN|MTEC|(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC))/i;
export const revision =
  /\b(?:rev(?:ision|is[ãa]o|isi[óo]n|isione|\.)?|version|vers[ãa]o|versi[óo]n|ver\.|edition|edi[çc][ãa]o|edici[óo]n|edizione|ausgabe|issue|stand)\s{0,3}[:.#-]?\s{0,3}((?:\d{1,3}(?:[.\-/]\d{1,4}){0,4}|[A-Z]\d{0,2}(?:\.\d{1,4})?))\b/i;
export const date =
  /\b(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}-\d{2}(?:-\d{2})?|\d{1,2}\/\d{4}|(?:\d{1,2}\.?\s(?:de\s)?)?(?:jan|feb|mar|m[äa]r|apr|abr|mai|may|jun|jul|aug|ago|sep|set|oct|okt|out|nov|dec|dez|dic)\p{L}{0,9}\.?\s(?:de\s)?(?:\d{1,2},\s)?\d{4})\b/iu;
