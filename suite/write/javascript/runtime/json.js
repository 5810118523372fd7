// JSON without loss: part of the library of tests that flaketap writes. It needs only the language.

const { decimal } = require("./decimal");

const VOLATILE = "<volatile>";
const MISSING = Symbol("missing");

/** A number that JavaScript would change or write differently: its token from the JSON text. */
class Exact {
  constructor(token) {
    this.token = token;
  }
}

/** A JSON object with a duplicate key: its members in order, as pairs. */
class Pairs {
  constructor(members) {
    this.members = members;
  }
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const BLANK = /[ \t\r\n]*/y;
const MAX_DEPTH = 2000;

/** Reads JSON without loss: see Exact and Pairs. Throws a SyntaxError if the text is not JSON. */
function parseJSON(text) {
  let at = 0;
  const read = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) {
      at += found[0].length;
    }
    return found ? found[0] : undefined;
  };
  const wrong = () => new SyntaxError(`no JSON at character ${at}`);
  const take = (mark) => {
    read(BLANK);
    if (text[at] !== mark) {
      return false;
    }
    at++;
    return true;
  };
  const list = (end, element) => {
    const out = [];
    if (take(end)) {
      return out;
    }
    do {
      read(BLANK);
      out.push(element());
    } while (take(","));
    if (!take(end)) {
      throw wrong();
    }
    return out;
  };
  const value = (depth) => {
    if (depth > MAX_DEPTH) {
      throw new SyntaxError("JSON that nests too deeply");
    }
    if (take("[")) {
      return list("]", () => value(depth + 1));
    }
    if (take("{")) {
      return objectOf(
        list("}", () => {
          const key = read(STRING);
          if (key === undefined || !take(":")) {
            throw wrong();
          }
          return [JSON.parse(key), value(depth + 1)];
        }),
      );
    }
    const string = read(STRING);
    if (string !== undefined) {
      return JSON.parse(string);
    }
    const number = read(NUMBER);
    if (number !== undefined) {
      return String(Number(number)) === number
        ? Number(number)
        : new Exact(number);
    }
    const word = read(WORD);
    if (word === undefined) {
      throw wrong();
    }
    return JSON.parse(word);
  };
  const out = value(0);
  read(BLANK);
  if (at < text.length) {
    throw wrong();
  }
  return out;
}

/** The object that has these members; a key such as __proto__ is a key like any other. */
function objectOf(members) {
  if (new Set(members.map(([key]) => key)).size < members.length) {
    return new Pairs(members);
  }
  const out = {};
  for (const [key, value] of members) {
    Object.defineProperty(out, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

function typeOf(value) {
  if (value === null) {
    return "null";
  }
  if (value instanceof Exact) {
    return /[.eE]/.test(value.token) ? "number" : "integer";
  }
  if (typeof value === "number") {
    return /[.e]/.test(String(value)) ? "number" : "integer";
  }
  return Array.isArray(value) ? "array" : typeof value;
}

const isNumber = (value) => typeof value === "number" || value instanceof Exact;
const isObject = (value) => typeOf(value) === "object";
const isContainer = (value) => isObject(value) || Array.isArray(value);

/** The members of an object, as pairs. */
function membersOf(value) {
  return value instanceof Pairs ? value.members : Object.entries(value);
}

/** The text that stands for a scalar in a path, a query or a header. */
function textOf(value) {
  return value instanceof Exact ? value.token : String(value);
}

/** The raw segments of a JSON pointer, and what they name: * stands for every element, ~2 for a star itself, ~3 for some @. */
function segments(pointer) {
  return pointer
    .split("/")
    .slice(1)
    .map((raw) => ({
      raw,
      name:
        raw === "~2"
          ? "*"
          : raw.replace(/^~3/, "@").replace(/~1/g, "/").replace(/~0/g, "~"),
    }));
}

function child(value, name) {
  if (Array.isArray(value)) {
    return /^\d+$/.test(name) && Number(name) < value.length
      ? value[Number(name)]
      : MISSING;
  }
  if (!isObject(value)) {
    return MISSING;
  }
  const found = membersOf(value).filter(([key]) => key === name);
  return found.length > 0 ? found[found.length - 1][1] : MISSING;
}

function children(value) {
  if (Array.isArray(value)) {
    return value;
  }
  return isObject(value) ? membersOf(value).map(([, member]) => member) : [];
}

/** Every value that a pointer matches; none if there is none. */
function each(value, pointer) {
  let found = [value];
  for (const { raw, name } of segments(pointer)) {
    const step = raw === "@jwt" ? tokenParts : (v) => child(v, name);
    found =
      raw === "*"
        ? found.flatMap(children)
        : found.map(step).filter((v) => v !== MISSING);
  }
  return found;
}

/** What a JSON web token holds, its lifetime among it; MISSING if it is none. The signature is not checked. */
function tokenParts(value) {
  const parts =
    typeof value === "string" ? value.replace(/^Bearer /, "").split(".") : [];
  if (parts.length !== 3 || !parts.every((p) => /^[A-Za-z0-9_-]*$/.test(p))) {
    return MISSING;
  }
  let header, claims;
  try {
    [header, claims] = parts
      .slice(0, 2)
      .map((p) => parseJSON(Buffer.from(p, "base64").toString("utf8")));
  } catch {
    return MISSING;
  }
  if (
    !isObject(header) ||
    !isObject(claims) ||
    child(header, "alg") === MISSING
  ) {
    return MISSING;
  }
  const [ends, begins] = [child(claims, "exp"), child(claims, "iat")];
  const lifetime =
    Number.isInteger(ends) && Number.isInteger(begins)
      ? { lifetime: ends - begins }
      : {};
  return { header, claims, signature: parts[2], ...lifetime };
}

/** The value with "<volatile>" at the masked pointers, and without the absent ones. */
function masked(value, masks, absent = []) {
  const without = absent.reduce(
    (v, pointer) => put(v, segments(pointer), MISSING),
    value,
  );
  return masks.reduce(
    (v, pointer) => put(v, segments(pointer), VOLATILE),
    without,
  );
}

/** The value with another one at a path; without what is there where that is MISSING. */
function put(value, path, other) {
  if (path.length === 0) {
    return other;
  }
  const [{ raw, name }, ...rest] = path;
  const change = (key, v) =>
    raw === "*" || key === name ? put(v, rest, other) : v;
  if (Array.isArray(value)) {
    return value
      .map((v, i) => change(String(i), v))
      .filter((v) => v !== MISSING);
  }
  if (!isObject(value)) {
    return value;
  }
  const members = membersOf(value).map(([key, v]) => [key, change(key, v)]);
  const left = members.filter(([, v]) => v !== MISSING);
  return value instanceof Pairs ? new Pairs(left) : objectOf(left);
}

/** A text that is the same for equal JSON values: members sorted, numbers by value. */
function canonical(value) {
  if (isNumber(value)) {
    try {
      const d = decimal(textOf(value));
      return `${d.n}e${d.e}`;
    } catch {
      return textOf(value);
    }
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (value instanceof Pairs) {
    return `{{${value.members.map(member).join(",")}}}`;
  }
  if (isObject(value)) {
    return `{${membersOf(value).map(member).sort().join(",")}}`;
  }
  return JSON.stringify(value);
}

const member = ([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`;

const same = (a, b) => canonical(a) === canonical(b);

/** Where two JSON values differ, in words; "" if they are equal. */
function difference(got, want, place = "") {
  if (same(got, want)) {
    return "";
  }
  if (Array.isArray(got) && Array.isArray(want) && got.length === want.length) {
    const i = got.findIndex((v, k) => !same(v, want[k]));
    return difference(got[i], want[i], `${place}/${i}`);
  }
  const plain = (v) => isObject(v) && !(v instanceof Pairs);
  if (plain(got) && plain(want)) {
    for (const [key] of [...membersOf(want), ...membersOf(got)]) {
      const [a, b] = [child(got, key), child(want, key)];
      const there = `${place}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`;
      if (a === MISSING || b === MISSING) {
        return `${there}: ${a === MISSING ? "missing" : `${shown(a)}, which is not expected`}`;
      }
      if (!same(a, b)) {
        return difference(a, b, there);
      }
    }
  }
  return `${place || "the value"}: ${shown(got)}, not ${shown(want)}`;
}

/** A value for a message. */
function shown(value) {
  const plain = (v) => {
    if (v instanceof Exact) {
      return v.token;
    }
    if (Array.isArray(v)) {
      return `[${v.map(plain).join(", ")}]`;
    }
    return isObject(v)
      ? `{${membersOf(v)
          .map(([k, m]) => `${JSON.stringify(k)}: ${plain(m)}`)
          .join(", ")}}`
      : String(JSON.stringify(v));
  };
  const text = plain(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/**
 * Why two lists do not have the same elements in any order; as a "set", duplicates do not count; "among" others, the
 * first may have more.
 */
function itemsDifference(got, want, extent = "") {
  if (!Array.isArray(got)) {
    return `${shown(got)} is no array`;
  }
  let [a, b] = [got.map(canonical).sort(), want.map(canonical).sort()];
  if (extent === "set") {
    [a, b] = [[...new Set(a)], [...new Set(b)]];
  }
  if (extent === "among") {
    const times = (v, list) => list.filter((other) => other === v).length;
    const missing = want.filter((v) => {
      const text = canonical(v);
      return times(text, a) < times(text, b);
    });
    return missing.length > 0 ? `${shown(got)} has not ${shown(missing)}` : "";
  }
  return a.join("\n") === b.join("\n")
    ? ""
    : `${shown(got)} has not the elements ${shown(want)}`;
}

module.exports = {
  Exact,
  Pairs,
  VOLATILE,
  child,
  MISSING,
  difference,
  each,
  isContainer,
  isNumber,
  itemsDifference,
  masked,
  membersOf,
  parseJSON,
  same,
  segments,
  shown,
  textOf,
  tokenParts,
  typeOf,
};
