"use strict";
// What a failed assertion says of itself: the values that it compared, and its message.

const MOST = 1000; // characters of a text

/** Whether an error is that of an assertion: of expect, of node:assert, of Chai. */
function isAssertion(error) {
  return (
    error?.matcherResult !== undefined ||
    error?.code === "ERR_ASSERTION" ||
    error?.name === "AssertionError"
  );
}

/** What a failure saw and expected, by what its error says of that, else by what the assertion was given. */
function failureOf(error, given = []) {
  const told = [error?.matcherResult, error].find(
    (one) => one && "actual" in Object(one),
  );
  const [saw, expected] = told ? [told.actual, told.expected] : given;
  const compares = told ? "expected" in told : given.length > 1;
  return {
    saw: told || given.length ? textOf(saw) : "",
    expected: compares ? textOf(expected) : "",
    message: messageOf(error),
  };
}

/** A value as JSON, or as JavaScript shows it. */
function textOf(value) {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, MOST);
  } catch {
    return "";
  }
}

/** What an error says, without colors. */
function messageOf(error) {
  try {
    return String(error?.message ?? error)
      .replace(/\u001b\[[0-9;]*m/g, "")
      .slice(0, MOST);
  } catch {
    return "";
  }
}

module.exports = { failureOf, isAssertion };
