import type { ComponentChildren } from "preact";
import { Scroll } from "./scroll.tsx";

/** A column of a table; the first one names the row. */
export interface Column<Row> {
  readonly title: string;
  readonly number?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string | number;
}

/** A real table on wide screens, cards on a phone. */
export function Table<Row>({ label, rows, columns, keyOf }: TableProps<Row>) {
  const [first, ...others] = columns;
  return (
    <Scroll label={label}>
      <table class="cards">
        <thead>
          <tr>
            {columns.map(({ title, number }) => (
              <th key={title} scope="col" class={number ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row>
              <th scope="row">{first?.cell(row)}</th>
              {others.map(({ title, number, cell }) => (
                <td key={title} class={number ? "number" : undefined} data-label={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Facts about one thing, each with its name. */
export const Facts = ({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
