import { describe, expect, it } from "vitest";
import { Column, int8s, placeIn, prepared, preparedName, type Statement, sql, texts } from "./sql.ts";

describe("sql", () => {
  it("keeps values apart from text", () => {
    const hostile = "'; drop table task; --";
    expect(sql`select ${1}, ${hostile}`).toEqual({ text: "select $1::int8, $2::text", values: [1, hostile] });
  });

  it("splices statements into statements and numbers their parameters anew", () => {
    const inner = sql`stage = ${7} and key = ${null}`;
    const outer = sql`select ${true} from task where ${inner} and (${inner}) limit ${5n}`;
    expect(outer).toEqual({
      text: "select $1::bool from task where stage = $2::int8 and key = $3 and (stage = $4::int8 and key = $5) limit $6::int8",
      values: [true, 7, null, 7, null, 5n],
    });
  });

  it("numbers more than nine parameters rightly", () => {
    const ten = sql`${null} ${null} ${null} ${null} ${null} ${null} ${null} ${null} ${null} ${null}`;
    expect(sql`${null} ${ten} ${null}`.text).toBe("$1 $2 $3 $4 $5 $6 $7 $8 $9 $10 $11 $12");
  });

  it("says the type of a column in the text", () => {
    const { text, values } = sql`select * from unnest(${int8s([1, null])}, ${texts(["a", "b"])})`;
    expect(text).toBe("select * from unnest($1::int8[], $2::text[])");
    expect(values.every((value) => value instanceof Column)).toBe(true);
  });

  it("without values is its text", () => {
    expect(sql`select 1`).toEqual({ text: "select 1", values: [] });
  });

  it("does not take a Date, bytes or null for a statement", () => {
    const values = [new Date(0), Buffer.from("x"), null];
    expect(sql`${values[0] as Date} ${values[1] as Buffer} ${null}`).toEqual({
      text: "$1::timestamptz $2::bytea $3",
      values,
    });
  });

  it("refuses an object that only looks like a statement: its text would run", () => {
    const lookAlike = { text: "(select 1/0)::text", values: [] } as unknown as Statement;
    expect(() => sql`select ${lookAlike}`).toThrow("must be a plain value");
    expect(() => sql`select ${[sql`1`] as unknown as Statement}`).toThrow("must be a plain value");
    expect(sql`select ${prepared("one", sql`1`)}`.text).toBe("select 1");
  });

  it("keeps the name of a prepared statement", () => {
    const named = prepared("claim", sql`select ${0.5}`);
    expect(named).toEqual({ name: "claim", text: "select $1::float8", values: [0.5] });
  });
});

describe("placing a statement", () => {
  it("leaves the schema of its own name alone", () => {
    expect(placeIn("headway")("select * from headway.task").text).toBe("select * from headway.task");
  });

  it("puts another schema wherever `headway.` qualifies a name, and nowhere else", () => {
    const place = placeIn("Test-1");
    expect(place("insert into headway.task select headway.next() from myheadway.x, headway_x.y").text).toBe(
      'insert into "Test-1".task select "Test-1".next() from myheadway.x, headway_x.y',
    );
    expect(place("select 'headway', headway from headway.task").text).toBe(
      "select 'headway', headway from \"Test-1\".task",
    );
  });

  it("tells texts apart by their hash, also between schemas", () => {
    const text = "select * from headway.task";
    const hashes = [placeIn("a")(text), placeIn("b")(text), placeIn("a")(`${text} `)].map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(3);
    expect(placeIn("a")(text).hash).toBe(hashes[0]);
  });

  it("remembers a text, and forgets before it remembers too many", () => {
    const place = placeIn("a");
    expect(place("select 1")).toBe(place("select 1"));
    for (let index = 0; index < 5_000; index += 1) place(`select ${index}`);
    expect(place("select 1").text).toBe("select 1");
  });

  it("refuses a schema that would have to be escaped", () => {
    for (const schema of ["", 'a"b', "a.b", "a b", "1a", "x".repeat(64)]) {
      expect(() => placeIn(schema)).toThrow("is not usable");
    }
  });

  it("cuts the name of a prepared statement where PostgreSQL would, after its hash", () => {
    expect(preparedName("claim", "abc")).toBe("abc_claim");
    expect(preparedName("x".repeat(100), "abc")).toHaveLength(63);
  });
});
