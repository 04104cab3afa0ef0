import { Link, useAddress } from "../route.tsx";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  /** Word for "no filter"; without it one option is always chosen. */
  readonly all?: string;
  readonly onChoose: (value: string) => void;
}

/** One filter of a list; it is kept in the address. */
export function Choice({ label, value, options, all, onChoose }: ChoiceProps) {
  const shown = value === "" || options.includes(value) ? options : [...options, value];
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {all !== undefined && <option value="">{all}</option>}
        {shown.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly numeric?: boolean;
  readonly onType: (value: string) => void;
}

/** A field of a form with a dry run before the change. */
export const Field = ({ label, value, numeric = false, onType }: FieldProps) => (
  <label>
    {label}
    <input
      value={value}
      inputMode={numeric ? "numeric" : undefined}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  </label>
);

/** A filter of words, kept in the address when complete. */
export const Words = ({ label, name }: { readonly label: string; readonly name: string }) => {
  const { query, set } = useAddress();
  return (
    <label>
      {label}
      <input value={query.get(name) ?? ""} onChange={(event) => set(name, event.currentTarget.value)} />
    </label>
  );
};

/** The way to the next keyset page; there are no page numbers to count. */
export function NextPage({
  more,
  after,
}: {
  readonly more: boolean;
  readonly after: string | number | undefined;
}) {
  const { path, query } = useAddress();
  const begun = query.has("after");
  if (!more && !begun) return null;
  const without = new URLSearchParams(query);
  without.delete("after");
  const next = new URLSearchParams(without);
  if (after !== undefined) next.set("after", String(after));
  return (
    <nav class="paging" aria-label="Pages">
      {begun && <Link href={`${path}?${without}`}>First page</Link>}
      {more && <Link href={`${path}?${next}`}>Next page</Link>}
      {!more && <span class="faint">This is the last page.</span>}
    </nav>
  );
}
