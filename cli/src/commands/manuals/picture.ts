import { writeFile } from "node:fs/promises";
import { type Box, pictureWidthMax } from "@headway/manuals";
import { Refusal } from "../../exit-codes.ts";
import type { Adding } from "../../run.ts";
import { parseCount, sharedFlags } from "../../shared-options.ts";
import { oneLine } from "../../terminal.ts";
import { findManual, lookAtManuals } from "./open.ts";

export function addManualsPicture({ program, console }: Adding): void {
  program
    .command("picture")
    .description("A page as a picture (PNG), with a quote or boxes marked")
    .argument("<manual>", "its name, or the beginning of it")
    .argument("<page>", "as the file counts")
    .option("--out <file>", "where to write it (default: MANUAL-PAGE.png)")
    .option("--width <pixels>", "of the whole page", "1000")
    .option("--quote <words>", "mark these words of the page")
    .option("--mark <box...>", "mark x0,y0,x1,y1, in points from the top left")
    .option("--region <box>", "only this part of the page")
    .option(...sharedFlags.data)
    .option(...sharedFlags.database)
    .option(...sharedFlags.json)
    .addHelpText(
      "after",
      `\nExamples:\n  headway manuals picture tide-gauge 6 --quote "E-117"\n  headway manuals picture pump 12 --region 60,80,300,400 --out drawing.png`,
    )
    .action(async (name, page, options) => {
      const number = parseCount(page, "PAGE", 100_000);
      const width = parseCount(options.width, "--width", pictureWidthMax);
      const marks = (options.mark ?? []).map((text) => parseBox(text, "--mark"));
      await lookAtManuals(options, async (manuals) => {
        const { id, pages } = await findManual(manuals, name);
        if (number > pages) throw new Refusal(`${id} has ${pages} pages.`);
        const picture = await manuals.picture({
          ...{ manual: id, page: number, width, marks },
          ...(options.quote !== undefined && { quote: options.quote }),
          ...(options.region !== undefined && { region: parseBox(options.region, "--region") }),
        });
        if (!picture) throw new Refusal(`There is no manual "${name}": "headway manuals list" shows all.`);
        if (options.quote !== undefined && picture.marks.length === marks.length)
          console.warn("Nothing is marked: the page does not have these very words.\n");
        const file = options.out ?? `${id}-${number}.png`;
        await writeFile(file, picture.png);
        const { png, ...rest } = picture;
        if (options.json) return console.writeJson({ file, bytes: png.length, ...rest });
        console.write(`${oneLine(file)}: ${rest.width} × ${rest.height} pixels\n`);
      });
    });
}

function parseBox(text: string, flag: string): Box {
  const [x0, y0, x1, y1, ...more] = text.split(",").map(Number);
  const whole = [x0, y0, x1, y1].every((value) => value !== undefined && Number.isFinite(value));
  if (!whole || more.length > 0)
    throw new Refusal(`${flag} is "${text}"; expected four numbers x0,y0,x1,y1.`, 2);
  return [x0 ?? 0, y0 ?? 0, x1 ?? 0, y1 ?? 0];
}
