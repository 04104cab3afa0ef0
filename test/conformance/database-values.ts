import { expect, it } from "vitest";
import type { Database } from "../../engine/src/store/database.ts";
import type { Column, Value } from "../../engine/src/store/sql.ts";
import { bools, byteas, int2s, int4s, int8s, sql, texts, times, uuids } from "../../engine/src/store/sql.ts";

/** The open database of the suite. */
export type Current = () => Database;

/** The error of a refused statement. */
export async function refusal(
  work: Promise<unknown>,
): Promise<Error & { code?: string; constraint?: string }> {
  const nothing = Symbol("nothing");
  const error = await work.then(
    () => nothing,
    (thrown) => thrown,
  );
  expect(error, "expected to be refused").not.toBe(nothing);
  return error as Error;
}

const hostile = [
  "",
  " ",
  "NULL",
  "null",
  "{}",
  '{"a",b}',
  '"',
  "\\",
  '\\"',
  "'",
  "a,b",
  "a\nb\r\n\tc",
  "$1",
  "%s",
  "\u0001\u001f\u007f",
  "grüße, Ω ≈ ç √",
  "日本語",
  "👩‍👩‍👧‍👦 \u{1F9D1}\u{1F3FD}",
  "\u202eright to left",
  "e\u0301",
];

/** Values as parameters and in rows. */
export function describeValues(current: Current): void {
  const roundTrip = async (value: Value, type: string) => {
    const [row] = await current().query<{ value: unknown }>({
      text: `select $1::${type} as value`,
      values: [value],
    });
    return row?.value;
  };
  const table: readonly [string, type: string, Value, expected?: unknown][] = [
    ["an int8 comes back as a number", "int8", 42],
    ["the largest safe integer", "int8", Number.MAX_SAFE_INTEGER],
    ["the smallest safe integer", "int8", Number.MIN_SAFE_INTEGER],
    ["a bigint goes in", "int8", -(2n ** 40n), -(2 ** 40)],
    ["an int4", "int4", -2147483648],
    ["an int2", "int2", 32767],
    ["a float8", "float8", 0.1],
    ["a numeric stays text", "numeric", "12345678901234567890.123"],
    ["true", "bool", true],
    ["false", "bool", false],
    ["null", "text", null],
    ["a moment with milliseconds", "timestamptz", new Date("2024-02-29T23:59:59.987Z")],
    ["a moment before 1970", "timestamptz", new Date("1900-01-01T00:00:00.001Z")],
    ["a moment before Christ", "timestamptz", new Date(Date.UTC(-43, 2, 15, 11))],
    ["a moment in the year 1", "timestamptz", new Date("0001-01-01T00:00:00.000Z")],
    ["a moment in the year 20000", "timestamptz", new Date(Date.UTC(20000, 0, 1))],
    ["the end of time", "timestamptz", "infinity", new Date(8.64e15)],
    ["a time of a summer", "timestamptz", "2024-07-01 12:00:00+05:30", new Date("2024-07-01T06:30:00Z")],
    [
      "microseconds are cut off",
      "timestamptz",
      "2024-01-01 00:00:00.123999+00",
      new Date("2024-01-01T00:00:00.123Z"),
    ],
    ["json is parsed", "json", '{"a": [1, null, "x"]}', { a: [1, null, "x"] }],
    ["jsonb is parsed", "jsonb", '"text"', "text"],
    ["bytes", "bytea", Buffer.from([0, 1, 127, 128, 255]), Buffer.from([0, 1, 127, 128, 255])],
    ["bytes that are not a Buffer", "bytea", new Uint8Array([9, 0, 8]).subarray(1), Buffer.from([0, 8])],
    ["no bytes", "bytea", Buffer.alloc(0)],
    ["a uuid", "uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
    ["an array literal", "int8[]", "{1,NULL,3}", [1, null, 3]],
    [
      "an array in an array",
      "text[]",
      '{{a,"b c"},{NULL,"\\""}}',
      [
        ["a", "b c"],
        [null, '"'],
      ],
    ],
    ["an array that starts elsewhere", "int4[]", "[0:1]={5,6}", [5, 6]],
    ["a jsonb array", "jsonb[]", '{"{\\"a\\": 1}"}', [{ a: 1 }]],
  ];
  for (const [what, type, value, expected = value] of table) {
    it(what, async () => expect(await roundTrip(value, type)).toStrictEqual(expected));
  }

  it("any text that PostgreSQL can hold comes back as it was", async () => {
    for (const text of hostile) expect(await roundTrip(text, "text")).toBe(text);
  });

  it("a text of 5 MB comes back whole", async () => {
    const text = "0123456789äöüß€\n".repeat(300_000);
    expect(await roundTrip(text, "text")).toBe(text);
  });

  it("an int8 beyond the numbers of JavaScript is refused instead of rounded", async () => {
    expect((await refusal(roundTrip(2n ** 60n, "int8"))).message).toContain("1152921504606846976");
    expect(await current().query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it("undefined is refused as the mistake it is", async () => {
    expect((await refusal(roundTrip(undefined as unknown as null, "text"))).message).toContain("undefined");
  });

  it("so is an object, such as a column of another copy of the engine", async () => {
    const foreign = { type: "text", items: ["a"] } as unknown as null;
    expect((await refusal(roundTrip(foreign, "text"))).message).toContain("two copies");
  });

  it("a NUL character is refused with 22021, in jsonb with 22P05", async () => {
    expect((await refusal(roundTrip("a\0b", "text"))).code).toBe("22021");
    expect((await refusal(roundTrip(JSON.stringify("a\0b"), "jsonb"))).code).toBe("22P05");
    expect(await roundTrip("fine", "text")).toBe("fine");
  });
}

/** Columns for `unnest`. */
export function describeColumns(current: Current): void {
  const roundTrip = async (column: Column) => {
    const [row] = await current().query<{ value: unknown[] }>(sql`select ${column} as value`);
    return row?.value;
  };
  const moments = [
    new Date("2024-02-29T23:59:59.987Z"),
    null,
    new Date(-1),
    new Date(Date.UTC(9999, 11, 31)),
  ];
  const table: readonly [string, Column, expected?: readonly unknown[]][] = [
    ["int8", int8s([0, -1, null, 2 ** 33, -(2 ** 33), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])],
    ["int8 from bigint", int8s([5n, -(2n ** 45n)]), [5, -(2 ** 45)]],
    ["int4", int4s([2147483647, -2147483648, null])],
    ["int2", int2s([32767, -32768, null])],
    ["text", texts([...hostile, null])],
    ["bytea", byteas([Buffer.from([0, 255]), null, Buffer.alloc(0)])],
    ["timestamptz", times(moments)],
    ["timestamptz far away", times([new Date(Date.UTC(-4000, 0, 1)), new Date(Date.UTC(12345, 5, 6))])],
    ["uuid", uuids(["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", null])],
    ["bool", bools([true, false, null])],
    ["nothing but null", texts([null, null])],
  ];
  for (const [type, column, expected = column.items] of table) {
    it(`${type} comes back as it was, nulls too`, async () => {
      expect(await roundTrip(column)).toStrictEqual(expected);
    });
  }

  it("an empty column of any type is an empty array", async () => {
    for (const make of [int8s, int4s, int2s, texts, byteas, times, uuids, bools]) {
      expect(await roundTrip(make([]))).toEqual([]);
    }
  });

  it("columns become rows with unnest", async () => {
    await current().query(sql`
      insert into headway.note (id, body)
      select * from unnest(${int8s([1, 2, 3])}, ${texts(["one", null, "three"])})
    `);
    expect(await current().query(sql`select id, body from headway.note order by id`)).toEqual([
      { id: 1, body: "one" },
      { id: 2, body: null },
      { id: 3, body: "three" },
    ]);
  });

  it("texts of 1 MB in a column arrive whole", async () => {
    const megabytes = ["a".repeat(2 ** 20), 'é"\\{},'.repeat(150_000), "z"];
    expect(await roundTrip(texts(megabytes))).toEqual(megabytes);
  });

  it("10,000 rows fit into one statement", async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => index);
    await current().query(sql`insert into headway.note (id) select unnest(${int8s(many)})`);
    const [row] = await current().query(sql`select array_agg(id order by id) as ids from headway.note`);
    expect(row).toEqual({ ids: many });
  });

  it("what does not fit its column is refused with 22P02 and costs nothing", async () => {
    for (const column of [
      int8s([1.5]),
      uuids(["nonsense"]),
      times([new Date(Number.NaN)]),
      int4s(["1" as never]),
    ]) {
      expect((await refusal(roundTrip(column))).code).toBe("22P02");
    }
    await refusal(roundTrip(int4s([2 ** 40])));
    expect(await roundTrip(int4s([1]))).toEqual([1]);
  });

  it("a NUL character in a text column is refused with 22021", async () => {
    expect((await refusal(roundTrip(texts(["fine", "a\0b"])))).code).toBe("22021");
  });
}
