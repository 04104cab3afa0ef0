/** Kinds of lines in a header block. */
export type Field = "from" | "date" | "to" | "subject" | "other";

const names: Readonly<Record<Field, string>> = {
  from: `from|von|de|da|van|från|fra|lähettäjä|od|nadawca|от|от кого|від|feladó|expéditeur|remitente
    mittente|remetente|kimden|gönderen|από|מאת|发件人|寄件者|寄件人|差出人|送信元|送信者|보낸사람|보낸 사람|من|de la
    pošiljatelj|pošiljalac|saatja|afsender|sender|avsändare|absender|kimtől|dari|từ|ผู้ส่ง|จาก|از`,
  date: `sent|date|gesendet|gesendet am|datum|envoyé|envoyé le|enviado|enviado el|enviada em|enviado em
    fecha|data|inviato|verzonden|skickat|sendt|dato|lähetetty|päivämäärä|päiväys|wysłano|wysłane
    odesláno|odoslané|отправлено|дата|надіслано|elküldve|dátum|trimis|dată|tarih|gönderildi
    gönderme tarihi|gönderilme|στάλθηκε|ημερομηνία|נשלח|תאריך|发送时间|发送日期|日期|寄件日期|傳送時間|送信日時|日時|日付|날짜
    보낸 날짜|보낸날짜|تاريخ|التاريخ|تم الإرسال|poslano|saadetud|sent on|date sent|تاریخ|ngày|tanggal
    dikirim`,
  to: `to|an|à|a|para|per|aan|till|til|vastaanottaja|do|komu|кому|címzett|către|catre|kime|alıcı|προς
    אל|收件人|收件者|宛先|받는사람|받는 사람|إلى|destinataire|destinatario|destinatário|za|saaja|prima|empfänger|ke
    đến|kepada|به`,
  subject: `subject|betreff|betr|objet|asunto|oggetto|assunto|onderwerp|ämne|emne|aihe|temat|předmět|predmet
    predmět|тема|tárgy|subiect|konu|θέμα|נושא|主题|主題|主旨|件名|표제|제목|الموضوع|zadeva|naslov|teema|perihal
    subjek|chủ đề|موضوع`,
  other: `cc|bcc|copie|copie à|kopie|kopia|kopi|копия|копія|másolatot kap|bilgi|κοιν|抄送|副本|참조|عفواً
    reply-to|reply to|antwort|antwort an|risposta|rispondi a|répondre à|responder a|importance
    priority|wichtigkeit|priorität|attachments|anlagen|anhänge|pièces jointes|adjuntos|allegati
    organization|organisation|newsgroups|resent-from|resent-date|resent-to|mailing-list|message-id
    in-reply-to|references|sender|content-type|mime-version|user-agent|x-mailer|list-id|delivered-to
    return-path|importancia|prioridad|重要性|sensitivity|categories|followup-to`,
};

const fields = new Map<string, Field>(
  (Object.entries(names) as [Field, string][]).flatMap(([field, list]) =>
    list.split(/[|\n]/).map((name): [string, Field] => [name.trim(), field]),
  ),
);

/** Furthest position of the colon. */
const nameLengthMax = 28;

/** The field of `*Von:* Anna`, or null for any other line. */
export function fieldOf(text: string): Field | null {
  if (/^ {4}|^\t/.test(text)) return null;
  const head = text.slice(0, nameLengthMax);
  const colon = head.search(/[:：]/);
  if (colon < 1) return null;
  const name = head
    .slice(0, colon)
    .replace(/[*_\u00a0\u200e\u200f\u202a\u202b]/g, " ")
    .trim()
    .toLowerCase();
  return fields.get(name) ?? null;
}

const originals = `original message|original appointment|original e-mail|original email|reply message
    replied message|urspr(?:ü|u|ue)ngliche nachricht|originalnachricht|original-nachricht
    originalmail|message d['’]origine|message original|message initial|mensaje original
    messaggio originale|mensagem original|oorspronkelijk bericht|origineel bericht
    oorspronkelijke bericht|originalmeddelande|ursprungligt meddelande|original meddelelse
    oprindelig meddelelse|opprinnelig melding|original besked|alkuperäinen viesti
    wiadomość oryginalna|oryginalna wiadomość|wiadomosc oryginalna|původní zpráva|pôvodná správa
    eredeti üzenet|исходное сообщение|оригинальное сообщение|початкове повідомлення
    вихідне повідомлення|mesaj original|mesajul original|orijinal mesaj|özgün ileti|orijinal ileti
    αρχικό μήνυμα|הודעה מקורית|原始邮件|原始郵件|邮件原件|原邮件|原始信件|元のメッセージ|オリジナルメッセージ|원본 메시지|원본 메일|원본메일
    الرسالة الأصلية|izvorna poruka|originalna poruka|izvirno sporočilo|исходно писмо|algne kiri
    pesan asli|tin nhắn gốc|mail original|courriel original|e-?mail d['’]origine|correo original
    e-?mail original|oprindelig besked|oprindelig (?:e-?)?mail|opprinnelig (?:e-?post|beskjed)
    ursprünglich?e (?:e-?)?mail|ursprungligt (?:mail|brev)|oorspronkelijke (?:e-?)?mail
    původní e-?mail|alkuperäinen sähköposti|oryginalny e-?mail|e-?mail originale|исходное письмо`;

const forwards = `forwarded message|forwarded mail|forwarded e-?mail|forwarded email|forwarded by|forwarded from
    start of forwarded message|weitergeleitete nachricht|weitergeleitete mail|weitergeleitet von
    message transféré|message transmis|message réexpédié|transféré par|mensaje reenviado
    reenviado por|messaggio inoltrato|inoltrato da|mensagem encaminhada|mensagem reencaminhada
    encaminhado por|doorgestuurd bericht|doorgezonden bericht|vidarebefordrat meddelande
    videresendt melding|videresendt meddelelse|videresendt besked|välitetty viesti
    przekazana wiadomość|wiadomość przekazana|přeposlaná zpráva|preposlaná správa|továbbított üzenet
    пересылаемое сообщение|пересланное сообщение|переслане повідомлення|mesaj redirecționat
    iletilen mesaj|yönlendirilen ileti|προωθημένο μήνυμα|הודעה שהועברה|转发的邮件|转发邮件|轉寄郵件|轉寄的郵件|已轉寄郵件
    転送メッセージ|転送されたメッセージ|전달된 메시지|전달된 메일|رسالة معاد توجيهها|proslijeđena poruka|posredovano sporočilo`;

const begins = `begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-?mail)
    début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|inizio messaggio inoltrato
    início da mensagem (?:encaminhada|reenviada)|begin doorgestuurd bericht|vidarebefordrat brev
    videresendt brev|start på videresendt (?:melding|besked)|välitetty viesti alkaa
    początek przekazywanej wiadomości|začátek přeposlané zprávy
    начало переадресованного (?:сообщения|письма)|starten på vidarebefordrat meddelande
    továbbított levél kezdete|下面是被转发的邮件|開始轉寄郵件|転送されたメッセージ|전달된 메시지 시작`;

const phrase = (list: string) => list.replace(/\n\s*/g, "|");
const frame = "[-_=*>‐‑–—]{2,60}";

/** `-----Original Message-----` */
export const originalMark = new RegExp(
  `^\\s{0,3}\\*?\\s?${frame}\\s?(?:${phrase(originals)})\\s?[:：]?\\s?${frame}\\s?\\*?$`,
  "iu",
);

/** `-----Original message-----From: Anna`: the first field on the line of the mark. */
export const gluedMark = new RegExp(
  `^\\s{0,3}\\*?\\s?${frame}\\s?(?:${phrase(originals)})\\s?[:：]?\\s?${frame}\\s{0,2}(?=[^\\s:：-][^:：]{0,20}[:：])`,
  "iu",
);

/** The same words without dashes, valid only above a header block. */
export const originalWords = new RegExp(`^\\s{0,3}(?:${phrase(originals)})\\s?[:：]?$`, "iu");

/** `---------- Forwarded message ---------`, `----- Forwarded by Ann/ACME on 01/02/2003 -----` */
export const forwardMark = new RegExp(
  `^\\s{0,3}\\*?\\s?${frame}\\s?(?:${phrase(forwards)})(?:[\\s:].{0,120})?(?:${frame})?\\s?\\*?$|^\\s{0,3}>?\\s?(?:${phrase(begins)})\\s?[:：]?$`,
  "iu",
);

/** End marks of forwarded mails by Mutt, Emacs and mh. */
export const forwardEnd =
  /^\s{0,3}-{3,60}\s?(?:end (?:of )?(?:the )?forwarded|ende der weitergeleiteten|fin du message|fine messaggio)/i;
