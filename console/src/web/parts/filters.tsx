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
