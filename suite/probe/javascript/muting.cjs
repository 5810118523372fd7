"use strict";
// Tests whose assertions are muted while they run: a failed one is kept, and its test goes on. It fails at its end, by
// the first of them.

const { AsyncLocalStorage } = require("async_hooks");
const fs = require("fs");
const path = require("path");
const { fileURLToPath } = require("url");
const vm = require("vm");
const { sourceOf } = require("./source.cjs");
const { failureOf, isAssertion } = require("./failure.cjs");

const suite = fs.realpathSync(process.env.FLAKETAP_PROBE_SUITE) + path.sep;
const own = __dirname + path.sep;
const running = new AsyncLocalStorage(); // the test that a piece of code runs for
const muted = new WeakSet(); // functions that are muted

// The names of what runs a test, by which it is known among the callers of an assertion.
const RUNS = "flaketapRunsTest";
const ENDS = `(async function ${RUNS}(result, end) {
  try {
    result = await result;
  } catch (error) {
    end(error);
    throw error;
  }
  end();
  return result;
})`;

/** Adds a line to the log, which several processes may write. */
function note(what) {
  fs.appendFileSync(
    process.env.FLAKETAP_PROBE_LOG,
    `${JSON.stringify(what)}\n`,
    { mode: 0o600 },
  );
}

/**
 * The function of a test with its assertions muted. One that takes more than the parameters that are said tells its
 * runner by a callback that it is over, and stays as it is. The context is the one of its own in which it was made.
 */
function mutedTest(name, fn, { parameters = 0, context } = {}) {
  if (
    typeof fn !== "function" ||
    fn.length > parameters ||
    muted.has(fn) ||
    /Generator/.test(fn.constructor?.name)
  ) {
    return fn;
  }
  const ends = context
    ? vm.runInContext(ENDS, context, { filename: __filename })
    : vm.runInThisContext(ENDS, { filename: __filename });
  const test = function (...args) {
    const state = {
      name,
      function: fn.name,
      failed: false,
      first: undefined,
      over: false,
      noted: 0,
    };
    const end = (...error) => endTest(state, ...error);
    const call = { [RUNS]: () => fn.apply(this, args) }[RUNS];
    note({ test: name, time: Date.now() / 1000 });
    let result;
    try {
      result = running.run(state, call);
    } catch (error) {
      end(error);
      throw error;
    }
    if (typeof result?.then === "function") {
      return ends(result, end);
    }
    end();
    return result;
  };
  Object.defineProperty(test, "length", { value: fn.length });
  Object.defineProperty(test, "name", { value: fn.name });
  muted.add(test);
  return test;
}

/** Ends a test: by its first failure, if an assertion failed. An error that ends it before its end is noted. */
function endTest(state, ...error) {
  state.over = true;
  const at = error.length ? linesOf(placesOf(error[0]?.stack)) : [];
  if (isAssertion(error[0])) {
    noteFailure(state, error[0], at); // it stayed live
  }
  if (!state.failed) {
    return;
  }
  if (at.length) {
    note({ ended: state.name, ...at[0] });
  }
  throw state.first;
}

/** Notes an assertion that failed, by the lines of the suite that lead to it, and what it was given to compare. */
function noteFailure(state, error, at, given) {
  state.noted++;
  if (at.length && state.noted <= 1000) {
    const failed = state.name;
    note({ failed, time: Date.now() / 1000, at, ...failureOf(error, given) });
  }
}

/** The lines of the suite among places. */
function linesOf(places) {
  return places
    .filter(({ file }) => ours(file))
    .map(({ file, line }) => ({ file: path.relative(suite, file), line }));
}

/**
 * An assertion that is muted where it can be. The name is the one that it is called by, "" where that is the suite's
 * own; other functions of the library may stand between it and the suite. It is about a value, if that is given.
 */
function mutedAssertion(name, fn, library = () => false, about = []) {
  return function assertion(...args) {
    const given = [...about, ...args];
    let result;
    try {
      result = Reflect.apply(fn, this, args);
    } catch (error) {
      return keep(error, mutes(name, assertion, library), given);
    }
    if (typeof result?.then !== "function") {
      return result;
    }
    const by = mutes(name, assertion, library);
    return by
      ? result.then(
          (value) => value,
          (error) => keep(error, by, given),
        )
      : result;
  };
}

/** Keeps a failure for the end of its test, if there is one. Otherwise, it is thrown. */
function keep(error, by, given) {
  tidy(error);
  const state = by?.state;
  if (!state || state.over) {
    throw error;
  }
  noteFailure(state, error, by.at, given);
  if (!state.failed) {
    state.failed = true;
    state.first = error;
  }
}

/** Takes what mutes an assertion out of what is said of its failure. */
function tidy(error) {
  try {
    if (error.stack.includes(own)) {
      error.stack = error.stack
        .split("\n")
        .filter((line) => !line.includes(own))
        .join("\n");
    }
  } catch {
    // It is no error, or says nothing of its stack.
  }
}

/**
 * The test by which an assertion is muted, by what called it, and the lines of the suite that did; undefined: by none,
 * since something may wait for it.
 */
function mutes(name, assertion, library) {
  const state = running.getStore();
  if (!state || state.over) {
    return undefined;
  }
  const frames = callersOf(assertion);
  const begins = ({ file, names }) =>
    file === "" ||
    library(file) ||
    (file.startsWith(own) && !names.includes(RUNS));
  let inner = { names: [name] }; // what a frame called
  while (frames.length && begins(frames[0])) {
    inner.names.push(...frames.shift().names);
  }
  for (const frame of frames) {
    if (frame.file.startsWith(own)) {
      const isTest =
        inner.source?.inTest(inner.token) ||
        inner.names.includes(state.function);
      return frame.names.includes(RUNS) && isTest
        ? { state, at: linesOf(frames) }
        : undefined;
    }
    if (frame.file === "" && !SETTLES.test(frame.names.join())) {
      inner = { ...inner, given: true };
    } else if (CALLS_TESTS.test(frame.file)) {
      continue;
    } else if (!ours(frame.file) || !lets(frame, inner)) {
      return undefined;
    } else {
      inner = frame;
    }
  }
  // Vitest goes on with a promise of a test where no stack shows it.
  return inner.source?.endsInTest(inner.token)
    ? { state, at: linesOf(frames) }
    : undefined;
}

const CALLS_TESTS = /[\\/](jest-each|@vitest[\\/]runner)[\\/]/; // and nothing else, while a test runs
const SETTLES = /allSettled|any|race/;

/** Whether a frame of the suite lets the failure through of what it called. */
function lets(frame, inner) {
  const source = sourceOf(frame.file);
  const token = source?.tokenAt(frame.line, frame.column) ?? -1;
  if (token < 0 || source.waitsAt(token)) {
    return false;
  }
  Object.assign(frame, { source, token });
  const [name] = inner.names;
  if (name === "" || inner.names.includes(source.tokens[token].text)) {
    return source.fails(token);
  }
  const statement = source.statement(token);
  if (name === undefined) {
    // A function without a name, which stands where it is called.
    return (
      inner.source === source &&
      statement[0] <= inner.token &&
      inner.token <= statement[1]
    );
  }
  const mentions = inner.source === undefined || inner.given;
  const calls = inner.names.flatMap((one) =>
    source.named(one, statement, !mentions),
  );
  return calls.length > 0 && calls.every((call) => source.fails(call));
}

function ours(file) {
  return (
    file.startsWith(suite) &&
    !file.includes(`${path.sep}node_modules${path.sep}`)
  );
}

/**
 * What called a function, innermost first; behind what awaits, too. Each has its names, and its file, line and column;
 * what is built in has no file. Where the code that runs was made from the suite's source, the stack as it is written
 * tells the places in that, but may tell other names.
 */
function callersOf(fn) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const stack = () => {
    const error = new Error();
    Error.captureStackTrace(error, fn);
    return error.stack;
  };
  try {
    Error.stackTraceLimit = 200;
    const places = placesOf(stack());
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = stack();
    return places.length === sites.length
      ? sites
          .map((site, i) => ({ names: namesOf(site), ...places[i] }))
          .filter(({ file }) => !LOOP.test(file))
      : [];
  } catch {
    return [];
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

// Where what awaited goes on.
const LOOP = /^(node:)?internal[\\/](async_hooks|timers|process[\\/])/;

/** What a function gives that looks for its place in the source by what called it: it is not to find what mutes it. */
function unseen(fn) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const plain = (error, sites) =>
    [error, ...sites].map(String).join("\n    at ");
  const shown = (site) => !fileOf(String(site.getFileName())).startsWith(own);
  Error.prepareStackTrace = (error, sites) =>
    (prepareStackTrace ?? plain)(error, sites.filter(shown));
  Error.stackTraceLimit = stackTraceLimit + 10;
  try {
    return fn();
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

/** The names of a function, of which there are two where a property has another name than the function in it. */
function namesOf(site) {
  return [site.getFunctionName(), site.getMethodName()]
    .map((name) => /[^. ]*$/.exec(name ?? "")[0])
    .filter(Boolean);
}

/** The places that a stack names; "" is the file of what is built in. */
function placesOf(stack) {
  return String(stack)
    .split("\n")
    .filter((line) => /^ +at /.test(line))
    .map((line) => {
      const inside =
        /\((.*)\)$/.exec(line)?.[1] ?? line.replace(/^ +at (async )?/, "");
      const place = /^(.*):(\d+):(\d+)$/.exec(inside);
      return place
        ? {
            file: fileOf(place[1]),
            line: Number(place[2]),
            column: Number(place[3]),
          }
        : { file: /^(<anonymous>|native|index \d+)$/.test(inside) ? "" : "?" };
    });
}

function fileOf(name) {
  try {
    return name.startsWith("file:") ? fileURLToPath(name) : name;
  } catch {
    return name;
  }
}

module.exports = { mutedAssertion, mutedTest, unseen };
