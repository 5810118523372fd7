// Gives modules that are imported what is required for node:assert, whose assertions are muted, and has a Chai that is
// imported say so, and Vitest's runner of tests.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const muted = ["node:assert", "node:assert/strict", "assert", "assert/strict"];
const scheme = "flaketap:";

export function resolve(specifier, context, next) {
  if (muted.includes(specifier) && !context.parentURL?.startsWith(scheme)) {
    return { url: scheme + specifier, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (/\/node_modules\/chai\/(chai|index)\.js$/.test(url)) {
    const loaded = await next(url, context);
    if (loaded.format === "module") {
      loaded.source = `${Buffer.from(loaded.source)}
if (typeof Assertion === "function") {
  globalThis[Symbol.for("flaketap.chai")]?.({ Assertion });
}
`;
    }
    return loaded;
  }
  if (/\/node_modules\/@vitest\/runner\/dist\/index\.js$/.test(url)) {
    const all = JSON.stringify(`${url}?flaketap`);
    const source = `export * from ${all};
import { getFn, startTests as start } from ${all};
export function startTests(specs, runner) {
  globalThis[Symbol.for("flaketap.vitest")]?.(runner, getFn);
  return start(specs, runner);
}
`;
    return { format: "module", shortCircuit: true, source };
  }
  if (!url.startsWith(scheme)) {
    return next(url, context);
  }
  const name = url.slice(scheme.length);
  const names = Object.keys(require(name)).filter((key) => key !== "default");
  const source = `import { createRequire } from "node:module";
const all = createRequire(${JSON.stringify(import.meta.url)})(${JSON.stringify(name)});
export default all;
export const { ${names.join(", ")} } = all;
`;
  return { format: "module", shortCircuit: true, source };
}
