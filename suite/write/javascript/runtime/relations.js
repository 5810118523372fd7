// How values relate to others: part of the library of tests that flaketap writes. It needs only the language.

const {
  absolute,
  compareDecimals,
  decimal,
  exactly,
  negated,
  product,
  sum,
} = require("./decimal");
const { each, shown, textOf } = require("./json");
const { moment } = require("./statements");

/** The innermost array elements that a place is in, or nothing. */
function elementsOf(place) {
  return /^(?:.*\/\*(?=\/|$))?/.exec(place)[0];
}

/**
 * Why the value at a place of an answer does not follow from those at others: "sum", "/body/total", "/body/a", "/body/b".
 * What begins with = is no place, but a value: "=17". Within an array this is checked for each element. If a value is missing or null, nothing is asserted.
 */
function relationComplaint(answer, kind, place, ...of) {
  const places = [place, ...of];
  const message = { header: {} };
  for (const p of places.filter((p) => p.startsWith("/header/"))) {
    message.header[p.slice(8)] = answer.header(p.slice(8));
  }
  if (places.some((p) => p.startsWith("/body"))) {
    message.body = answer.json;
  }
  const around = elementsOf(place);
  const rest = places.map((p) =>
    p.startsWith("=") ? p : p.slice(around.length),
  );
  const wrong = each(message, around).find(
    (value) => !follows(kind, value, ...rest),
  );
  return wrong === undefined
    ? ""
    : `${place} is not the ${kind} of ${of.join(", ")}`;
}

/** The same within one value. */
function follows(kind, value, place, ...of) {
  const own = one(value, place);
  if (own === null) {
    return true;
  }
  try {
    if (kind === "count") {
      const array = one(value, of[0]);
      return (
        !Array.isArray(array) ||
        compareDecimals(exactly(textOf(own)), decimal(String(array.length))) ===
          0
      );
    }
    if (kind === "total") {
      const inner = elementsOf(of[0]);
      if (!Array.isArray(one(value, inner.slice(0, -2)))) {
        return true;
      }
      const rows = each(value, inner).map((row) =>
        of.map((p) => exactly(textOf(one(row, p.slice(inner.length))))),
      );
      const total = rows
        .map((f) => f.reduce(product))
        .reduce(sum, decimal("0"));
      return compareDecimals(exactly(textOf(own)), total) === 0;
    }
    if (["ascending", "descending", "unique"].includes(kind)) {
      const inner = elementsOf(of[0]);
      const rows = each(value, inner).map((row) =>
        one(row, of[0].slice(inner.length)),
      );
      if (kind === "unique") {
        return new Set(rows.map(shown)).size === rows.length;
      }
      return isSorted(kind === "ascending" ? rows : rows.reverse());
    }
    const others = of.map((p) =>
      p.startsWith("=") ? p.slice(1) : one(value, p),
    );
    return others.includes(null) || computes(kind, own, ...others);
  } catch (e) {
    if (e instanceof RangeError) {
      return false;
    }
    throw e;
  }
}

/** Whether a value is what the relation makes of others. */
function computes(kind, own, first, second) {
  if (kind === "equal") {
    return (
      textOf(own) === textOf(first) ||
      compareDecimals(exactly(textOf(own)), exactly(textOf(first))) === 0
    );
  }
  if (kind === "other") {
    return textOf(own) !== textOf(first);
  }
  if (kind === "contains") {
    return textOf(own).includes(textOf(first));
  }
  if (kind === "above") {
    return compareDecimals(exactly(textOf(own)), exactly(textOf(first))) > 0;
  }
  if (kind === "at-least") {
    return isSorted([first, own]);
  }
  const [number, a, b] = [
    exactly(textOf(own)),
    exactly(textOf(first)),
    exactly(textOf(second)),
  ];
  if (kind === "product") {
    // Money is rounded.
    const off = absolute(sum(number, negated(product(a, b))));
    return compareDecimals(off, { n: 5n, e: -Math.max(2, -number.e) - 1 }) <= 0;
  }
  return compareDecimals(number, sum(a, kind === "sum" ? b : negated(b))) === 0;
}

/** Whether none of some numbers, times or texts comes before the one that it follows. */
function isSorted(values) {
  return values.slice(1).every((v, i) => compare(values[i], v) <= 0);
}

/** Orders numbers, times, and texts by their characters. */
function compare(a, b) {
  try {
    return compareDecimals(exactly(textOf(a)), exactly(textOf(b)));
  } catch (e) {
    if (!(e instanceof RangeError)) {
      throw e;
    }
  }
  const [x, y] = [moment(a), moment(b)];
  return x && y
    ? x[0] - y[0]
    : Buffer.compare(Buffer.from(textOf(a)), Buffer.from(textOf(b)));
}

/** The value at the pointer, null if there is none. */
function one(value, pointer) {
  const found = each(value, pointer);
  return found.length > 0 && found[0] !== undefined ? found[0] : null;
}

module.exports = { relationComplaint };
