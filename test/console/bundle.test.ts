import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { bundleWebFiles } from "../../console/src/server/web-files.ts";

it("the first page is small, and nothing of it comes from elsewhere", async () => {
  const files = await bundleWebFiles();
  const gzOf = (ending: string) =>
    files
      .filter(({ path }) => path.endsWith(ending))
      .reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
  expect(gzOf(".js")).toBeLessThanOrEqual(70_000);
  expect(gzOf(".css")).toBeLessThanOrEqual(8_000);
  const css = files.find(({ path }) => path.endsWith(".css"));
  const places = [...new TextDecoder().decode(css?.bytes).matchAll(/url\(([^)]*)\)/g)].map(([, at]) => at);
  expect(places.length).toBeGreaterThan(0);
  for (const place of places) expect(files.map(({ path }) => path)).toContain(place?.replaceAll('"', ""));
});
