// Gives modules that are imported what is required for node:assert, whose assertions are muted.

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

export function load(url, context, next) {
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
