// Has a runner draw an order of its tests: FLAKETAP_ORDER is the seed. Every Node that a suite's command starts loads this.
// Jest, from the version on that knows --randomize, and Vitest are given arguments; Jest's files, and the tests of Mocha,
// which knows no orders, are drawn here before it runs them. A file beside this one says that an order was drawn: Vitest lists its
// results as its tests are written.
"use strict";

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");

const seed = Number(process.env.FLAKETAP_ORDER);

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

/** What the runner whose script is started here is given so that it draws an order; nothing for other programs. */
function drawing(main) {
  const file = fs.realpathSync(main);
  const { name, version = "" } = packageOf(file);
  const [major, minor] = version.split(".").map(Number);
  if (name === "jest" || name === "jest-cli") {
    return major > 29 || (major === 29 && minor >= 5)
      ? ["--randomize", `--seed=${seed}`]
      : [];
  }
  // Vitest's workers are scripts of its package, too.
  return path.basename(file) === "vitest.mjs" && major >= 2
    ? ["--sequence.shuffle.tests=true", `--sequence.seed=${seed}`]
    : [];
}

/** Says that an order is drawn. */
function drawn() {
  fs.writeFileSync(path.join(__dirname, "drawn"), "");
}

/**
 * Numbers from 0 to below 1 that follow from a seed (the generator that is known as mulberry32). The first numbers of
 * small seeds are alike, so that a seed is spread over all bits (by a factor of MurmurHash3) before.
 */
function numbers(seed) {
  let state = Math.imul(seed, 0xc2b2ae35);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Draws an order of tests, or of groups; those of one file stay together. */
function draw(list, next) {
  const shuffled = (all) => {
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(next() * (i + 1));
      [all[i], all[j]] = [all[j], all[i]];
    }
    return all;
  };
  const files = shuffled([...new Set(list.map(({ file }) => file))]);
  return files.flatMap((file) =>
    shuffled(list.filter((one) => one.file === file)),
  );
}

/** Draws the order of all that a group of Mocha has in it. */
function turn(group, next) {
  group.tests = draw(group.tests, next);
  group.suites = draw(group.suites, next);
  group.suites.forEach((inner) => turn(inner, next));
}

/** Mocha's runner, as soon as it is loaded. */
function mocha(module) {
  const { run } = module.exports.prototype;
  module.exports.prototype.run = function (...args) {
    turn(this.suite, numbers(seed));
    drawn();
    return run.apply(this, args);
  };
}

/** Jest's order of files, as soon as it is loaded: by itself it puts first what failed, took long, or is large. */
function jest(module) {
  const { prototype } = module.exports.default;
  prototype.sort = (tests) => {
    const listed = tests.map((test) => ({ file: test.path, test }));
    listed.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)));
    return draw(listed, numbers(seed)).map(({ test }) => test);
  };
}

const load = Module._extensions[".js"];
Module._extensions[".js"] = function (module, filename) {
  const out = Reflect.apply(load, this, arguments);
  if (/[\\/]mocha[\\/]lib[\\/]runner\.js$/.test(filename)) {
    mocha(module);
  }
  if (
    added.length > 0 &&
    /[\\/]test-sequencer[\\/]build[\\/]index\.js$/.test(filename)
  ) {
    jest(module);
  }
  return out;
};

let added = [];
try {
  added = drawing(process.argv[1]);
  if (added.length > 0) {
    process.argv.splice(2, 0, ...added);
    drawn();
  }
} catch {
  // no script is run
}
