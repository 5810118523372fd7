"use strict";
// The assertions of a suite, muted: those of expect, of node:assert, and of Chai.

const { mutedAssertion, unseen } = require("./muting.cjs");

/** The expect of Jest, whose matchers are muted. */
function mutedExpect(expect) {
  return new Proxy(expect, {
    apply: (target, self, args) =>
      matchers(Reflect.apply(target, self, args), args.slice(0, 1)),
  });
}

/** What expect returns for a value, and what is behind its .not, .resolves and .rejects. */
function matchers(expectation, about) {
  return new Proxy(expectation, {
    get(target, name) {
      const value = target[name];
      if (typeof value === "function") {
        return mutedAssertion(name, value, undefined, about);
      }
      return value !== null && typeof value === "object"
        ? matchers(value, about)
        : value;
    },
  });
}

/** node:assert, or its strict form. */
function mutedAssert(assert) {
  const made = new Map();
  const called = mutedAssertion("", explained(assert));
  return new Proxy(assert, {
    apply: (_, self, args) => Reflect.apply(called, self, args),
    get(target, name) {
      const value = target[name];
      if (
        typeof value !== "function" ||
        typeof name !== "string" ||
        /^[A-Z]/.test(name)
      ) {
        return value;
      }
      if (!made.has(value)) {
        made.set(
          value,
          name === "strict"
            ? mutedAssert(value)
            : mutedAssertion(name, name === "ok" ? explained(value) : value),
        );
      }
      return made.get(value);
    },
  });
}

/** An assertion that otherwise quotes the source of its caller, which is no longer the suite. */
function explained(ok) {
  return function (...args) {
    return ok(
      ...(args.length === 1
        ? [args[0], "The expression evaluated to a falsy value"]
        : args),
    );
  };
}

const chained = new WeakSet(); // the parts of Chai's assertions that are muted

/** Mutes the assertions of a Chai in place, also those that plugins have added since. */
function muteChai({ Assertion }) {
  for (const [name, part] of Object.entries(
    Object.getOwnPropertyDescriptors(Assertion.prototype),
  )) {
    const fn = part.get ?? part.value;
    if (
      name === "constructor" ||
      name.startsWith("_") ||
      typeof fn !== "function" ||
      chained.has(fn) ||
      !part.configurable
    ) {
      continue;
    }
    const muted = outermost(name, fn);
    chained.add(muted);
    Object.defineProperty(
      Assertion.prototype,
      name,
      part.get ? { ...part, get: muted } : { ...part, value: muted },
    );
  }
}

const ofChai = (file) => /[\\/]node_modules[\\/]chai[\\/]/.test(file);
const LOCATED = /InlineSnapshot$|^(resolves|rejects)$/; // of Vitest, which look where they are called
let asserting = false; // whether Chai is in an assertion, which may ask others, and wait for their failures

/** Has an assertion note where it was called, before that is asked for. */
function located(assertion, result) {
  void assertion.__flags?.error?.stack;
  return result;
}

/** A part of an assertion of Chai, muted where it is not a part of another one. What is chained to it goes on. */
function outermost(name, fn) {
  const alone = function (...args) {
    asserting = true;
    try {
      return LOCATED.test(name)
        ? unseen(() => located(this, Reflect.apply(fn, this, args)))
        : Reflect.apply(fn, this, args);
    } finally {
      asserting = false;
    }
  };
  const assertion = mutedAssertion(name, alone, ofChai);
  return function (...args) {
    if (asserting) {
      return Reflect.apply(fn, this, args);
    }
    const result = Reflect.apply(assertion, this, args);
    if (name === "resolves" || name === "rejects") {
      return matchers(result); // of Vitest
    }
    if (typeof result !== "function") {
      return result ?? this;
    }
    return new Proxy(result, {
      apply: (target, _, given) =>
        Reflect.apply(outermost(name, target), this, given),
    });
  };
}

module.exports = { muteChai, mutedAssert, mutedExpect };
