interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly const?: unknown;
  readonly format?: string;
}

/**
 * Changes of a schema that break readers: a field is gone, may be missing from now on, or has another type. New fields and new values of an
 * enumeration break no reader of the kind the schemas ask for.
 */
export function breakingChanges(before: unknown, after: unknown): string[] {
  return changes(before as Shape, after as Shape, "");
}

function changes(before: Shape, after: Shape, at: string): string[] {
  const place = at || "the whole";
  const [was, is] = [typesOf(before), typesOf(after)];
  const widened = [...is].filter((type) => !was.has(type));
  if (was.size > 0 && widened.length > 0)
    return [`${place} may be ${widened.join(" or ")}, and was ${[...was].join(" or ")}`];
  if (before.const !== undefined && before.const !== after.const) return [`${place} has another value`];
  if (before.format !== after.format && before.format !== undefined)
    return [`${place} has no longer the format ${before.format}`];
  return [...changedFields(before, after, at), ...changedItems(before, after, at)];
}

function changedFields(before: Shape, after: Shape, at: string): string[] {
  return Object.entries(fieldsOf(before)).flatMap(([name, field]) => {
    const path = at ? `${at}.${name}` : name;
    const now = fieldsOf(after)[name];
    if (!now) return [`${path} is gone`];
    const missing = requiredOf(before).includes(name) && !requiredOf(after).includes(name);
    return [...(missing ? [`${path} may be missing`] : []), ...changes(field, now, path)];
  });
}

function changedItems(before: Shape, after: Shape, at: string): string[] {
  const [was, is] = [itemsOf(before), itemsOf(after)];
  return was && is ? changes(was, is, `${at}[]`) : [];
}

/** `anyOf` of an object and null is an object that may be null. */
const choicesOf = (shape: Shape): readonly Shape[] => shape.anyOf ?? [shape];
const typesOf = (shape: Shape): Set<string> =>
  new Set(choicesOf(shape).flatMap(({ type }) => (type === undefined ? [] : ([] as string[]).concat(type))));
const fieldsOf = (shape: Shape): Readonly<Record<string, Shape>> =>
  Object.assign({}, ...choicesOf(shape).map(({ properties = {} }) => properties), shape.properties ?? {});
const requiredOf = (shape: Shape): readonly string[] =>
  choicesOf(shape).find(({ required }) => required)?.required ?? shape.required ?? [];
const itemsOf = (shape: Shape): Shape | undefined => choicesOf(shape).find(({ items }) => items)?.items;
