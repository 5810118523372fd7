// How values are written into requests: part of the library of tests that flaketap writes. It needs only the language.

/** A text percent-encoded, but for letters, digits and what is kept. */
function escaped(text, kept) {
  return Array.from(text, (c) => {
    if (/[A-Za-z0-9._-]/.test(c) || kept.includes(c)) {
      return c;
    }
    const code = /[!'()*]/.test(c) ? `%${c.charCodeAt(0).toString(16)}` : "";
    return (
      code.toUpperCase() ||
      encodeURIComponent(
        /[\ud800-\udfff]/.test(c) && c.length === 1 ? "\ufffd" : c,
      )
    );
  }).join("");
}

/** A text escaped for use as a segment of a path. */
const inPath = (text) => escaped(text, "~!$&'()*+,;=:@");

/** A text escaped for use in a query or a form. */
const inQuery = (text) => escaped(text, "~!$'()*,:@/?");

/** A text escaped for use inside a JSON string. */
const inJSON = (text) => JSON.stringify(text).slice(1, -1);

/** A text as a JSON value: a number if it is one, otherwise a string. */
function asJSON(text) {
  const isNumber =
    /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text);
  return isNumber ? text : JSON.stringify(text);
}

module.exports = { asJSON, inJSON, inPath, inQuery };
