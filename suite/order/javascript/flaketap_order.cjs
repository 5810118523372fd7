// Has Jest draw an order of its tests: FLAKETAP_ORDER is the seed. Every Node that a suite's command starts loads this,
// and it changes the arguments of Jest alone, from the version on that knows --randomize.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

function packageOf(file) {
  for (let dir = path.dirname(file); dir !== path.dirname(dir); dir = path.dirname(dir)) {
    try {
      return JSON.parse(fs.readFileSync(path.join(dir, "package.json"), "utf8"));
    } catch {
      // none here
    }
  }
  return {};
}

function drawsOrders(main) {
  const { name, version = "" } = packageOf(fs.realpathSync(main));
  const [major, minor] = version.split(".").map(Number);
  return (name === "jest" || name === "jest-cli") && (major > 29 || (major === 29 && minor >= 5));
}

try {
  if (drawsOrders(process.argv[1])) {
    process.argv.splice(2, 0, "--randomize", `--seed=${process.env.FLAKETAP_ORDER}`);
  }
} catch {
  // no script is run
}
