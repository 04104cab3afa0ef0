/** Modules of isolated stages: each lies beside the bundled worker under its own name. */
export const isolatedModules = ["parsing", "embedding", "weighing", "summarizing"] as const;

/** The bundled form of a stage's module, in the folder of the worker. */
export const bundledModule = (module: string, folder: URL): string => {
  const name = isolatedModules.find((one) => module.endsWith(`/${one}.ts`));
  if (!name) throw new Error(`${module} is not bundled: name it in chaos/isolated-module.ts.`);
  return new URL(`${name}.mjs`, folder).href;
};
