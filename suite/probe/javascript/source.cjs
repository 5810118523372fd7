"use strict";
// What the source of a file of the suite says of its assertions, without a parser: this reads JavaScript and TypeScript
// as words and brackets. What it cannot make sense of is taken for something that waits for failures.

const fs = require("fs");

const MAX_SIZE = 2 << 20;
const SPACE = /\s+|\/\/.*|\/\*[^]*?\*\//y;
const WORD = /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
const STRING = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y;
const REGEXP = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const TEMPLATE = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y; // the rest of one, up to its end or a value in it
const MARK = /=>|\?\.(?!\d)|\.\.\.|&&|\|\||\?\?|[^]/y;

// Words that no function is called, and behind which a value begins.
const KEYWORDS = new Set(
  `await case delete do else if in instanceof new of return switch throw typeof
   void while with yield for catch`.split(/\s+/),
);
const BEFORE_OBJECT = new Set([..."(,=:[?", "&&", "||", "??", "${"]);
const OBJECT_WORDS = new Set(["return", "default", "throw", "of", "in"]);

// What calls back what it is given, and lets its failures through.
const PASSING = new Set(
  `every filter find findIndex findLast flatMap forEach from map reduce
   reduceRight some sort then finally all`.split(/\s+/),
);
const RUNS_TESTS = new Set(["it", "test", "specify", "fit"]);
const GROUPS_TESTS = new Set(["describe", "suite", "context", "fdescribe"]);
const TYPE = new Set("<>[].,|&");
const SETTLING = new Set(["allSettled", "any", "race"]);

/** The tokens of a source: each with its text and place, the bracket around it, and the one that it closes or opens. */
function tokensOf(text) {
  const tokens = [];
  const open = []; // indices of brackets
  let at = text.startsWith("#!") ? text.indexOf("\n") : 0;
  let line = true; // whether what comes is the first of its line
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found && found[0];
  };
  const push = (kind, piece) => {
    const around = open.length ? open[open.length - 1] : -1;
    tokens.push({ kind, text: piece, at, line, around, mate: -1 });
    at += piece.length;
    line = false;
  };
  const template = () => {
    const piece = take(TEMPLATE);
    if (piece === null) {
      throw new SyntaxError("open template");
    }
    push("template", piece);
    if (piece.endsWith("${")) {
      open.push(tokens.length - 1);
    }
  };
  while (at >= 0 && at < text.length) {
    const last = tokens[tokens.length - 1];
    let piece;
    if ((piece = take(SPACE))) {
      line = line || piece.includes("\n");
      at += piece.length;
    } else if ((piece = take(WORD))) {
      push("word", piece);
    } else if ((piece = take(NUMBER)) || (piece = take(STRING))) {
      push("value", piece);
    } else if (text[at] === "`") {
      at++;
      template();
    } else if (!endsValue(last) && (piece = take(REGEXP))) {
      push("value", piece);
    } else {
      piece = take(MARK);
      if (")]}".includes(piece)) {
        const opener = open.pop();
        if (opener === undefined || closer(tokens[opener]) !== piece) {
          throw new SyntaxError("brackets do not match");
        }
        push("mark", piece);
        tokens[tokens.length - 1].mate = opener;
        tokens[opener].mate = tokens.length - 1;
        if (tokens[opener].kind === "template") {
          template();
        }
      } else {
        push("mark", piece);
        if ("([{".includes(piece)) {
          open.push(tokens.length - 1);
        }
      }
    }
  }
  if (open.length) {
    throw new SyntaxError("open bracket");
  }
  return tokens;
}

const closer = (opener) => ({ "(": ")", "[": "]" })[opener.text] ?? "}";

const endsValue = (token) =>
  token !== undefined &&
  (token.kind === "word"
    ? !KEYWORDS.has(token.text)
    : token.kind === "mark"
      ? token.text === ")" || token.text === "]"
      : !token.text.endsWith("${"));

class Source {
  constructor(text) {
    this.lines = [0];
    for (
      let at = text.indexOf("\n");
      at >= 0;
      at = text.indexOf("\n", at + 1)
    ) {
      this.lines.push(at + 1);
    }
    this.tokens = tokensOf(text);
    this.waiting = []; // places in which something waits for failures, as [from, to] of tokens
    this.tests = []; // functions that are tests, in the same way
    this.functions = []; // all functions, in the order in which they begin
    this.runners = new Set(RUNS_TESTS); // what runs the functions that it is given as tests
    this.tokens.forEach((_, i) => this.#extended(i));
    this.tokens.forEach((_, i) => this.#mark(i));
  }

  /** The token at a line and column, both from 1; -1: none. */
  tokenAt(line, column) {
    const at = this.lines[line - 1] + column - 1;
    let low = 0;
    let high = this.tokens.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tokens[middle].at <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** Whether something may wait for a failure at a token. */
  waitsAt(i) {
    return this.waiting.some(([from, to]) => from <= i && i <= to);
  }

  /** Whether a token is in a function that is a test. */
  inTest(i) {
    return this.tests.some(([from, to]) => from <= i && i <= to);
  }

  /** Whether a token is in a function that is a test, and in none within it. */
  endsInTest(i) {
    const around = this.functions.filter(([from, to]) => from <= i && i <= to);
    const last = around.pop();
    return this.tests.some(([from]) => from === last?.[0]);
  }

  /** The first and last token of the statement around a token. */
  statement(i) {
    while (
      i >= 0 &&
      this.tokens[i].around >= 0 &&
      !this.#isBlock(this.tokens[i].around)
    ) {
      i = this.tokens[i].around;
    }
    let from = i;
    while (!this.#begins(from)) {
      from = this.#before(from);
    }
    let to = i;
    for (;;) {
      to = this.tokens[to].mate > to ? this.tokens[to].mate : to;
      if (
        this.tokens[to].text === ";" ||
        this.#ends(to + 1) ||
        this.#begins(to + 1)
      ) {
        return [from, to];
      }
      to++;
    }
  }

  /** Whether the failure of what is called at a token goes to nobody but the statement that it stands in. */
  fails(i) {
    if (this.waitsAt(i)) {
      return false;
    }
    while (this.#word(this.#chain(i) - 1) !== "await") {
      let around = this.tokens[i].around;
      while (
        around >= 0 &&
        !this.#isBlock(around) &&
        this.#callOf(around) === null
      ) {
        around = this.tokens[around].around;
      }
      if (
        around < 0 ||
        this.#isBlock(around) ||
        this.#runsTests(this.#callOf(around))
      ) {
        return true;
      }
      if (!this.#lets(this.#callOf(around))) {
        return false;
      }
      i = this.#before(around);
    }
    return true;
  }

  /** The tokens of a name in a statement that call it, or all of them. */
  named(name, [from, to], called) {
    const out = [];
    for (let i = from; i <= to; i++) {
      if (this.#word(i) === name && (!called || this.#opens(i + 1))) {
        out.push(i);
      }
    }
    return out;
  }

  #word(i) {
    return i >= 0 && i < this.tokens.length && this.tokens[i].kind === "word"
      ? this.tokens[i].text
      : "";
  }

  #text(i) {
    return i >= 0 && i < this.tokens.length ? this.tokens[i].text : "";
  }

  /** Whether arguments begin at a token, perhaps behind those of a generic type. */
  #opens(i) {
    if (this.#text(i) === "<") {
      while (this.#word(i) || TYPE.has(this.#text(i))) {
        i++;
      }
    }
    return this.#text(this.#text(i) === "?." ? i + 1 : i) === "(";
  }

  /** The token before one, or the opening bracket of what ends there. */
  #before(i) {
    return i > 0 &&
      this.tokens[i - 1].mate >= 0 &&
      this.tokens[i - 1].mate < i - 1
      ? this.tokens[i - 1].mate
      : i - 1;
  }

  #isBlock(i) {
    const before = this.tokens[i - 1];
    return (
      this.tokens[i].text === "{" &&
      (before === undefined ||
        (!BEFORE_OBJECT.has(before.text) &&
          !before.text.endsWith("${") &&
          !OBJECT_WORDS.has(before.text)))
    );
  }

  /** Whether a statement begins with a token that is directly in a block. */
  #begins(i) {
    if (
      i === 0 ||
      this.tokens[i - 1].text === ";" ||
      i - 1 === this.tokens[i].around
    ) {
      return true;
    }
    const last = this.tokens[i - 1];
    if (last.text === "}" && this.#isBlock(last.mate)) {
      return this.tokens[i].kind === "word";
    }
    return (
      this.tokens[i].line &&
      this.tokens[i].kind === "word" &&
      (endsValue(last) || last.text === "}")
    );
  }

  /** Whether a token closes the block around those before it. */
  #ends(i) {
    return (
      i >= this.tokens.length ||
      (this.tokens[i].mate >= 0 && this.tokens[i].mate < i)
    );
  }

  /** Where a chain of names and calls begins in which a token is a name. */
  #chain(i) {
    while (this.#text(i - 1) === "." || this.#text(i - 1) === "?.") {
      i = this.#before(i - 1);
      while (
        this.tokens[i] !== undefined &&
        "([".includes(this.tokens[i].text) &&
        endsValue(this.tokens[i - 1])
      ) {
        i = this.#before(i);
      }
    }
    return i;
  }

  /** The first and the last name of what a bracket calls; null where it calls nothing. */
  #callOf(open) {
    if (this.tokens[open].text !== "(") {
      return null;
    }
    let i = open;
    do {
      i = this.#before(i);
      i = this.#text(i) === "?." ? this.#before(i) : i;
    } while (
      i >= 0 &&
      (this.#text(i) === "(" || (this.tokens[i].kind === "template" && i > 0))
    );
    if (i < 0 || this.tokens[i].kind !== "word") {
      const last = this.tokens[open - 1];
      return endsValue(last) || last?.text === ">"
        ? { first: "", last: "" }
        : null;
    }
    const last = this.#word(i);
    if (KEYWORDS.has(last) && this.#text(i - 1) !== ".") {
      return null;
    }
    return { first: this.#word(this.#chain(i)), last };
  }

  /** Whether a call lets the failures of functions through that it is given. */
  #lets({ first, last }) {
    return first !== last && PASSING.has(last);
  }

  #runsTests({ first, last }) {
    return last !== "extend" && [first, last].some((n) => this.runners.has(n));
  }

  /** Notes what runs tests too: const withUser = test.extend(…), of Vitest. */
  #extended(i) {
    if (
      this.#text(i) === "=" &&
      this.runners.has(this.#word(i + 1)) &&
      this.#word(i + 3) === "extend"
    ) {
      this.runners.add(this.#word(i - 1));
    }
  }

  #mark(i) {
    const { text, kind } = this.tokens[i];
    if (
      text === "try" &&
      this.#text(i + 1) === "{" &&
      this.#text(i - 1) !== "."
    ) {
      const close = this.tokens[i + 1].mate;
      if (this.#word(close + 1) === "catch") {
        this.waiting.push([i, close]);
      }
    } else if (text === "." || text === "?.") {
      this.#markHandled(i);
    } else if (text === "=>") {
      this.#markFunction(
        i,
        this.#text(i + 1) === "{" ? this.tokens[i + 1].mate : this.#endOf(i),
      );
    } else if (text === "function" && kind === "word") {
      let body = i;
      while (
        body < this.tokens.length &&
        !(this.#text(body) === "{" && this.#isBlock(body))
      ) {
        body =
          this.tokens[body].mate > body ? this.tokens[body].mate + 1 : body + 1;
      }
      this.#markFunction(
        i,
        body < this.tokens.length ? this.tokens[body].mate : body,
      );
    } else if (text === "{" && this.#isMethod(i)) {
      this.#markFunction(i, this.tokens[i].mate);
    }
  }

  #isMethod(i) {
    const around = this.tokens[i].around;
    return (
      around >= 0 &&
      this.#text(around) === "{" &&
      !this.#isBlock(around) &&
      this.#isBlock(i) &&
      this.#text(i - 1) !== "=>"
    );
  }

  /** The end of a value that a bracket or a comma ends. */
  #endOf(i) {
    const { around } = this.tokens[i];
    const end = around >= 0 ? this.tokens[around].mate : this.tokens.length;
    for (; i < end && this.#text(i) !== "," && this.#text(i) !== ";"; i++) {
      i = Math.max(i, this.tokens[i].mate);
    }
    return i - 1;
  }

  /** Marks a function that is given to something which may wait for its failures, or run it as a test. */
  #markFunction(from, to) {
    this.functions.push([from, to]);
    for (
      let i = this.tokens[from].around;
      i >= 0 && !this.#isBlock(i);
      i = this.tokens[i].around
    ) {
      const call = this.#callOf(i);
      if (call !== null && this.#runsTests(call)) {
        this.tests.push([from, to]);
        return;
      }
      if (call !== null && GROUPS_TESTS.has(call.first)) {
        return;
      }
      if (call !== null && !this.#lets(call)) {
        this.waiting.push([from, to]);
        return;
      }
    }
  }

  /** Marks the statement of a promise whose failure is handled; all of the file where that was made elsewhere. */
  #markHandled(dot) {
    const name = this.#word(dot + 1);
    const open = dot + (this.#text(dot + 2) === "?." ? 3 : 2);
    if (this.#text(open) !== "(") {
      return;
    }
    const end = this.tokens[open].mate;
    const handled =
      this.#text(dot - 1) === ")"
        ? this.statement(dot)
        : [0, this.tokens.length];
    if (
      name === "catch" ||
      (name === "then" && this.#endOf(open + 1) < end - 2)
    ) {
      this.waiting.push(handled);
    } else if (SETTLING.has(name) && this.#word(dot - 1) === "Promise") {
      this.waiting.push(
        this.#hasNames(open, end)
          ? [0, this.tokens.length]
          : this.statement(dot),
      );
    }
  }

  /** Whether there is a plain name among the values between two brackets. */
  #hasNames(open, end) {
    for (let i = open + 1; i < end; i++) {
      if (
        this.#word(i) &&
        "([,".includes(this.#text(i - 1)) &&
        ")],".includes(this.#text(i + 1))
      ) {
        return true;
      }
    }
    return false;
  }
}

const known = new Map();

/** The source of a file; null where it cannot be read. */
function sourceOf(file) {
  if (!known.has(file)) {
    let source = null;
    try {
      if (fs.statSync(file).size <= MAX_SIZE) {
        source = new Source(fs.readFileSync(file, "utf8"));
      }
    } catch {
      // What is no such source is left as it is.
    }
    known.set(file, source);
  }
  return known.get(file);
}

module.exports = { sourceOf };
