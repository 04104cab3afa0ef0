import { request as ask } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acts } from "../../console/src/server/acts.ts";
import { operatorPages, pages } from "../../console/src/server/pages.ts";
import { openPglite } from "../../engine/src/databases/pglite.ts";
import { verbChanges, verbNames } from "../../engine/src/internal.ts";
import type { Database } from "../../engine/src/store/database.ts";
import { useOwnSchema } from "../support/own-schema.ts";
import { type OfficeConsole, openOfficeConsole } from "./office-console.ts";

const suites = [
  ["PGlite", () => openPglite({ folder: null, inline: true })],
  ["PostgreSQL", null],
] as const;

describe.each(suites)("the console on %s", (_, openEmbedded) => {
  const postgres = openEmbedded ? null : useOwnSchema("console_security");
  let database: Database;
  let place: OfficeConsole;

  beforeAll(async () => {
    database = openEmbedded ? await openEmbedded() : (postgres?.direct as Database);
    place = await openOfficeConsole(database);
    await place.office.bring("box", ["good", "bad", "bad two"]);
    await place.office.engine.drain();
  }, 120_000);
  afterAll(async () => {
    await place.close();
    await database.script('drop schema if exists "console_security" cascade').catch(() => undefined);
    if (openEmbedded) await database.close();
  });

  const call = async (path: string, { cookie, body, headers = {}, method }: Sent = {}) => {
    const answer = await fetch(`${place.url}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      json: answer.headers.get("content-type") === "application/json" ? JSON.parse(text) : text,
    };
  };
  const enter = async (key: string) => {
    const { status, headers } = await call("/api/console/enter", { body: { key } });
    return {
      status,
      cookie: (headers.get("set-cookie") ?? "").split(";")[0] as string,
      set: headers.get("set-cookie"),
    };
  };
  const sessions = new Map<string, string>();
  /** Entering is limited, so each role enters once. */
  const sessionOf = async (role: "reader" | "operator"): Promise<string> => {
    const known = sessions.get(role);
    if (known !== undefined) return known;
    const { cookie } = await enter(new URL(place.entry(role)).hash.slice("#enter=".length));
    sessions.set(role, cookie);
    return cookie;
  };

  it("says nothing without a session, and every page and act is refused", async () => {
    for (const name of [...Object.keys(pages), "plan", "act", "upload", "live", "leave", "nothing"])
      expect((await call(`/api/console/${name}`)).status, name).toBe(401);
    const shell = await call("/");
    expect(shell.status).toBe(200);
    expect(shell.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(shell.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(shell.json).not.toContain("<style");
  });

  it("lets a link in once, and keeps the session from scripts and other sites", async () => {
    const code = new URL(place.entry("operator")).hash.slice("#enter=".length);
    const first = await enter(code);
    expect(first.status).toBe(200);
    expect(first.set).toMatch(/HttpOnly; SameSite=Strict; Path=\//);
    expect((await enter(code)).status).toBe(401);
    expect((await call("/api/console/me", { cookie: first.cookie })).json.person).toEqual({
      name: "ann",
      role: "operator",
    });
    const forged = first.cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect((await call("/api/console/me", { cookie: forged })).status).toBe(401);
  });

  it("refuses each act and each operators' page to readers, in the console and at the operators' address", async () => {
    const cookie = await sessionOf("reader");
    expect((await call("/api/console/overview", { cookie })).status).toBe(200);
    for (const act of Object.keys(acts))
      expect((await call("/api/console/plan", { cookie, body: { act, fields: {} } })).status, act).toBe(403);
    expect((await call("/api/console/act", { cookie, body: { token: "x", why: "y" } })).status).toBe(403);
    for (const method of ["POST", "PUT"])
      expect((await call("/api/console/upload?name=x&id=1", { cookie, method })).status).toBe(403);
    for (const name of operatorPages)
      expect((await call(`/api/console/${name}?id=1`, { cookie })).status).toBe(403);
    const key = await place.addKey("machine", "reader");
    const headers = { authorization: `Bearer ${key}` };
    for (const verb of verbNames) {
      const { status } = await call(`/api/operate/${verb}`, { headers, body: [] });
      if (verbChanges(verb)) expect(status, verb).toBe(403);
      else expect(status, verb).not.toBe(403);
    }
    expect((await call("/api/console-link", { headers, body: [] })).status).toBe(403);
  });

  it("refuses foreign names and foreign pages", async () => {
    const cookie = await sessionOf("operator");
    expect(await statusFor(place.url, "rebind.example")).toBe(421);
    expect(await statusFor(place.url, "console.example.org")).toBe(200);
    const body = { act: "pause", fields: { stage: "stamping" } };
    const from = (headers: Record<string, string>) => call("/api/console/plan", { cookie, body, headers });
    expect((await from({ origin: "https://example.org" })).status).toBe(403);
    expect((await from({ origin: "null" })).status).toBe(403);
    expect((await from({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await from({ origin: place.url })).status).toBe(200);
    expect(
      (await call("/api/console/plan", { cookie, method: "POST", headers: { "content-type": "text/plain" } }))
        .status,
    ).toBe(400);
  });

  it("acts as its dry run said, once, under the person's name and with the reason", async () => {
    const cookie = await sessionOf("operator");
    const operator = place.operatorFor("test");
    const body = { act: "requeue", fields: { filter: { stage: "stamping" } } };
    const { json: plan } = await call("/api/console/plan", { cookie, body });
    expect(plan).toMatchObject({ title: "Requeue 2 dead letters", count: 2, ramp: true });
    expect(await operator.listDead()).toHaveLength(2);
    const confirm = (more: object) =>
      call("/api/console/act", { cookie, body: { token: plan.token, ...more } });
    expect((await confirm({ why: " " })).json.error).toContain("Say why");
    const done = await Promise.all([confirm({ why: "a fix" }), confirm({ why: "a fix" })]);
    expect(done.map(({ json }) => json.sentence)).toEqual(["2 requeued.", "2 requeued."]);
    expect(await operator.listDead()).toEqual([]);
    const recorded = await operator.audit({ act: "dead.requeue" });
    expect(recorded.map(({ actor, why }) => ({ actor, why }))).toEqual([{ actor: "ann", why: "a fix" }]);
    await place.office.engine.drain();
  });

  it("asks for the number before a purge, and takes an unknown token or act for a mistake", async () => {
    const cookie = await sessionOf("operator");
    const { json: plan } = await call("/api/console/plan", {
      cookie,
      body: { act: "purge", fields: { filter: {} } },
    });
    expect(plan.typed).toBe("2");
    const wrong = await call("/api/console/act", {
      cookie,
      body: { token: plan.token, why: "old", typed: "3" },
    });
    expect(wrong).toMatchObject({ status: 400, json: { error: expect.stringContaining("Type 2") } });
    expect((await call("/api/console/act", { cookie, body: { token: "x", why: "y" } })).status).toBe(400);
    expect((await call("/api/console/plan", { cookie, body: { act: "constructor" } })).status).toBe(400);
    expect(
      (
        await call("/api/console/plan", {
          cookie,
          body: { act: "requeue", fields: { filter: { stage: 7 } } },
        })
      ).status,
    ).toBe(400);
    expect(place.inside).toEqual([]);
  });
});

it("entering is limited", async () => {
  const database = await openPglite({ folder: null, inline: true });
  const place = await openOfficeConsole(database);
  try {
    const statuses: number[] = [];
    for (let tries = 0; tries < 7; tries++) {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${place.url}/api/console/enter`, {
        method: "POST",
        headers,
        body: '{"key":"guess"}',
      });
      statuses.push(answer.status);
    }
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses).toContain(429);
  } finally {
    await place.close();
    await database.close();
  }
});

interface Sent {
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

/** `fetch` does not let a test choose the Host. */
const statusFor = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url);
    ask({ host: "127.0.0.1", port, path: "/", headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .once("error", reject)
      .end();
  });
