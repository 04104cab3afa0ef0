/** Common pieces of the lexicon's patterns. */

/** Usual matters of calls; "support" of anything else is mostly a feature. */
export const matter =
  "(?:adopt\\w*|adoption|publi\\w+|progress\\w*|advanc\\w+|moving|going|releas\\w+|accept\\w*|merg\\w+|inclu\\w+|" +
  "this|that|it|these|both|draft\\w*|document|proposals?|proposal|idea|motion|change|changes|move|patch\\w*|series|" +
  "approach|direction|charter\\w*|work|effort|pep|rfc|wglc|option|plan|text|wording|nomination|candidate|resolution|" +
  "graduation|donation|standardi\\w+)";
export const article =
  "(?:(?:the|this|that|these|a|an|its|your|their|wg|working|group|early|such|of|for|in|[a-z]+ 's) ){0,3}";
export const act =
  "(?:adopt(?:ed|ing)?|publish(?:ed|ing)?|accept(?:ed|ing)?|merged?|merging|released?|releasing|ship(?:ped|ping)?|" +
  "approved?|go ahead|go forward|going ahead|proceed(?:ing)?|progress(?:ed|ing)?|advanced?|advancing|" +
  "move (?:this |it )?(?:forward|ahead|on)|moved forward|moving forward|include[d]?|do (?:this|it|that)|apply|applied|" +
  "standardi[sz]ed?|take (?:this|it) on|land(?:ed)?|deploy(?:ed)?|endorsed?|sent to the iesg)";
/** Possible fates of a proposal. */
export const done =
  "(?:adopted|published|accepted|merged|released|shipped|approved|go ahead|going ahead|go forward|proceed|progress(?:ed)?|" +
  "advanced?|moved? (?:forward|ahead|on)|included|done|applied|standardi[sz]ed|land(?:ed)?|endorsed|ship|sent to the iesg)";
export const undo =
  "(?:reject(?:ed)?|abandon(?:ed)?|drop(?:ped)?|revert(?:ed)?|back(?:ed)? out|postponed?|hold off|wait|delay(?:ed)?|" +
  "cancel(?:led)?|kill(?:ed)?|scrap(?:ped)?|withdrawn|nacked|block(?:ed)?)";
export const undone =
  "(?:rejected|abandoned|dropped|reverted|backed out|postponed|delayed|cancelled|killed|scrapped|withdrawn|nacked|blocked)";
export const worry = "(?:concerns?|objections?|reservations?|misgivings|doubts|qualms|worries)";
export const size =
  "(?:(?:some|a|an|any|few|several|serious|major|strong|strongly|grave|significant|deep|the|same|many|one|two|three|" +
  "real|huge|big|fundamental|similar|substantial|technical|procedural|lingering|outstanding|number|of|further|other|" +
  "remaining|more|important|considerable|general) ){0,4}";
export const stop = "(?= [.,;:!?()…-]|$)";

/** Words after "this" as the matter itself, unlike in "this packet". */
export const after = `(?:${stop}|(?= (?:now|as|in|into|before|for|to|with|and|or|if|because|at|until|unless|yet|soon|but|too|instead|again|anyway|on|since|so|then|when|once|from|here|today|without|upstream|first|later|after|by|is|right|asap|forward|through|either|at)\\b))`;

/** Matches any alternative, as whole words. */
export const anyOf = (...alternatives: readonly string[]): RegExp =>
  new RegExp(`\\b(?:${alternatives.join("|")})\\b`, "i");
