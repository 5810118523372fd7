"use strict";
// Mutes the assertions of a suite for one run: each is evaluated, and one that fails ends its test at the end only.
// flaketap sets NODE_OPTIONS so that Node loads this before all else, in every process and every worker thread.
//
// It is given the folder of a copy of the suite. Muted are assertions of expect, node:assert and Chai that a test of
// Jest, Vitest, Mocha or node:test comes to, in its own function or in functions of the suite that it calls. Those that
// something waits for stay live: under a try with a catch, in functions that a library calls back, in promises whose
// failure is handled, in hooks, and wherever no test runs.
//
//  1. Runners and libraries are met as Node loads them (here). Each test function of theirs is replaced by one that
//     says that its test runs, and each assertion by one that asks whether it is muted (assertions.cjs).
//  2. It is, where the stack shows nothing but functions of the suite between the test and it (muting.cjs), of which
//     the source shows that nothing in them waits (source.cjs).

const { AsyncResource } = require("async_hooks");
const Module = require("module");
const { pathToFileURL } = require("url");
const { muteChai, mutedAssert, mutedExpect } = require("./assertions.cjs");
const { mutedTest } = require("./muting.cjs");

const chais = new Set();

/** What is done to a library's module as soon as it is loaded, by its file. */
const libraries = [
  [/[\\/]jest-circus[\\/](build[\\/])?runner\.js$/, jest],
  [/[\\/]mocha[\\/]lib[\\/]runnable\.js$/, mocha],
  [/[\\/]chai[\\/]lib[\\/]chai\.js$/, (module) => chais.add(module.exports)],
];

const load = Module._extensions[".js"];
Module._extensions[".js"] = function (module, filename) {
  const out = Reflect.apply(load, this, arguments);
  for (const [file, meet] of libraries) {
    if (file.test(filename)) {
      meet(module);
    }
  }
  return out;
};

const asserts = new Map(); // what is given for node:assert, and for its strict form
const loadBuiltIn = Module._load;
Module._load = function (request) {
  const out = Reflect.apply(loadBuiltIn, this, arguments);
  if (!/^(node:)?assert(\/strict)?$/.test(request)) {
    return out;
  }
  if (!asserts.has(out)) {
    asserts.set(out, mutedAssert(out));
  }
  return asserts.get(out);
};

/** Jest's runner of a file of tests, which tells an environment what it does. */
function jest(module) {
  const run = module.exports.default ?? module.exports;
  const muted = function (globalConfig, config, environment, ...rest) {
    const hear = environment.handleTestEvent;
    const mute = (test) => {
      const context = environment.getVmContext?.();
      test.fn = mutedTest(titleOf(test), test.fn, { context });
    };
    environment.handleTestEvent = function (event, ...more) {
      const heard = hear?.call(this, event, ...more);
      if (event.name === "setup") {
        for (const globals of [event.runtimeGlobals, environment.global]) {
          if (typeof globals?.expect === "function") {
            globals.expect = mutedExpect(globals.expect);
          }
        }
      } else if (event.name === "run_start") {
        concurrent(more[0].rootDescribeBlock).forEach(mute);
      } else if (event.name === "test_fn_start" && !event.test.concurrent) {
        mute(event.test);
      }
      return heard;
    };
    return run.call(this, globalConfig, config, environment, ...rest);
  };
  module.exports = Object.assign(muted, { default: muted, __esModule: true });
}

/** The tests of a group of Jest that it begins before all others, at once. */
function concurrent(group) {
  return group.children.flatMap((one) => {
    const tests = one.concurrent && one.mode !== "skip" ? [one] : [];
    return one.type === "describeBlock" ? concurrent(one) : tests;
  });
}

/** The name of a test of Jest behind those of the groups that it is in. */
function titleOf(test) {
  return test.parent ? `${titleOf(test.parent)} ${test.name}`.trim() : "";
}

/** What runs a test or a hook of Mocha. */
function mocha(module) {
  imports();
  const { run } = module.exports.prototype;
  module.exports.prototype.run = function (...args) {
    if (this.type === "test") {
      chais.forEach(muteChai);
      this.fn = mutedTest(this.fullTitle(), this.fn);
    }
    return run.apply(this, args);
  };
}

/** Vitest, whose workers are told what they are by their environment. It has its runner of tests say so (imports.mjs). */
function vitest() {
  globalThis[Symbol.for("flaketap.vitest")] = (runner, getFn) => {
    const { runTask } = runner;
    runner.runTask = function (test) {
      chais.forEach(muteChai);
      const run = runTask ? () => runTask.call(this, test) : getFn(test);
      return mutedTest(namesOf(test).join(" "), run, { parameters: 1 })();
    };
  };
  if (process.env.VITEST) {
    imports();
  }
}

/** The name of a test of Vitest behind those of the groups that it is in. */
function namesOf(test) {
  return test ? [...namesOf(test.suite), test.name] : [];
}

/** node:test, which runs its tests as what Node calls an asynchronous resource. */
function nodeTest() {
  const { runInAsyncScope } = AsyncResource.prototype;
  AsyncResource.prototype.runInAsyncScope = function (fn, self, ...args) {
    let run = fn;
    if (
      this.constructor.name === "Test" &&
      this.parent &&
      fn === this.fn &&
      self?.constructor?.name === "TestContext"
    ) {
      chais.forEach(muteChai);
      run = mutedTest(this.name, fn, { parameters: 1 });
    }
    return Reflect.apply(runInAsyncScope, this, [run, self, ...args]);
  };
  if (
    process.env.NODE_TEST_CONTEXT ||
    process.execArgv.some((arg) => arg.startsWith("--test"))
  ) {
    imports();
  }
}

/** Has modules that are imported, not required, be given the same assertions. */
function imports() {
  globalThis[Symbol.for("flaketap.chai")] = (chai) => chais.add(chai);
  Module.register?.(pathToFileURL(`${__dirname}/imports.mjs`));
}

nodeTest();
vitest();
