// What is asserted of values: part of the library of tests that flaketap writes. It needs only the language.

const { compareDecimals, decimal } = require("./decimal");
const {
  MISSING,
  difference,
  isContainer,
  isNumber,
  same,
  shown,
  textOf,
  tokenParts,
  typeOf,
} = require("./json");

const FORMATS = {
  rfc3339: /\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)/,
  rfc1123:
    /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})/,
  datetime:
    /\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?/,
  date: /\d{4}-\d\d-\d\d/,
  time: /\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?/,
  uuid4:
    /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}/,
  uuid: /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/,
  uuid1:
    /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}/,
  uuid3:
    /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}/,
  uuid5:
    /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}/,
  uuid6:
    /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}/,
  uuid7:
    /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}/,
  jwt: /[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/,
  bcrypt: /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}/,
  email: /[^@\s]+@[^@\s]+\.[^@\s.]+/,
  uri: /[a-zA-Z][a-zA-Z0-9+.-]*:\/\/\S+/,
  ipv4: /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/,
  ipv6: /[0-9A-Fa-f:]{2,39}(:\d{1,3}(\.\d{1,3}){3})?/,
  ulid: /[0-7][0-9A-HJKMNP-TV-Z]{25}/,
  mac: /[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}/,
  semver:
    /(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?/,
  duration: /P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?/,
  base64: /[A-Za-z0-9+/_-]+={0,2}/,
  base64url: /[A-Za-z0-9_-]+/,
  digits: /[0-9]+/,
  hex: /[0-9a-fA-F]+/,
};

/** Whether all of a text matches a regular expression. */
function matches(pattern, text) {
  return new RegExp(`^(?:${pattern.source})$`, pattern.flags).test(text);
}

/** Whether a text is written as the name says: rfc3339, uuid, hex:32 and so on. */
function isFormat(text, name) {
  if (name.startsWith("hex:")) {
    return matches(FORMATS.hex, text) && text.length === Number(name.slice(4));
  }
  return (
    matches(FORMATS[name], text) &&
    (name !== "jwt" || tokenParts(text) !== MISSING)
  );
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const MONTH = `(?<month>${MONTHS.join("|")})`;
const CLOCK = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";

// How services write a point in time: ISO 8601 and what is like it, without any separators, as in HTTP, as in C and Unix,
// and a day in words or with dots.
const MOMENTS = [
  "(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d\\d)\\k<mark>(?<day>\\d\\d)" +
    "(?:[Tt ](?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?" +
    " ?(?<zone>[Zz]|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)?)?(?:\\[.*\\])?",
  "(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)(?:[Tt]?(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)Z?)?",
  `[A-Z][a-z]+, (?<day>\\d\\d?)[ -]${MONTH}[ -](?<year>\\d{4}|\\d\\d) ${CLOCK}(?: (?<zone>GMT|UTC|[+-]\\d{4}))?`,
  `[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${CLOCK} (?:[A-Z]{3,4} )?(?<year>\\d{4})`,
  `(?<day>\\d\\d?)\\.? ${MONTH}[a-z]* (?<year>20\\d\\d)`,
  `${MONTH}[a-z]* (?<day>\\d\\d?), (?<year>20\\d\\d)`,
  "(?<day>\\d\\d?)\\.(?<month>\\d\\d?)\\.(?<year>20\\d\\d)",
].map((pattern) => new RegExp(`^(?:${pattern})$`));

// A count since 1970, by its number of digits: what one is worth, in seconds, and where the counting began.
const EPOCHS = {
  5: [86400, 0],
  10: [1, 0],
  13: [1e-3, 0],
  16: [1e-6, 0],
  18: [1e-7, 62135596800],
  19: [1e-9, 0],
};

/**
 * The time that a value denotes, in seconds since 1970, and its precision in seconds; undefined if it denotes none.
 * A time without a zone is taken for UTC.
 */
function moment(value) {
  if (typeof value !== "string" && !isNumber(value)) {
    return undefined;
  }
  const text = textOf(value);
  if (typeof value === "string") {
    const found = MOMENTS.map((pattern) => pattern.exec(text)).find(Boolean);
    if (found) {
      return momentOf(found.groups);
    }
  }
  const count = /^(\d+)(?:\.\d{1,9})?$/.exec(text);
  if (!count || !EPOCHS[count[1].length]) {
    return undefined;
  }
  const [unit, begin] = EPOCHS[count[1].length];
  return [Number(text) * unit - begin, unit];
}

/** The same, from the parts of a text. */
function momentOf(parts) {
  let year = Number(parts.year);
  if (parts.year.length === 2) {
    year += year >= 69 ? 1900 : 2000;
  }
  const month = MONTHS.indexOf(parts.month) + 1 || Number(parts.month);
  if (month < 1 || month > 12) {
    return undefined;
  }
  let seconds = Date.UTC(year, month - 1, Number(parts.day)) / 1000;
  seconds +=
    Number(parts.hour || 0) * 3600 +
    Number(parts.minute || 0) * 60 +
    Number(parts.second || 0);
  const zone = /^([+-])(\d\d):?(\d\d)?$/.exec(parts.zone || "");
  if (zone) {
    const offset = Number(zone[2]) * 3600 + Number(zone[3] || 0) * 60;
    seconds -= zone[1] === "+" ? offset : -offset;
  }
  const lasts = parts.second ? 1 : parts.minute ? 60 : 86400;
  return [seconds + Number(`0.${parts.fraction || "0"}`), lasts];
}

/** Whether a value is a time within that many seconds of another, in any notation. A date is the whole day. */
function isNear(value, seconds, time) {
  const found = moment(value);
  return (
    found !== undefined &&
    found[0] - seconds <= time &&
    time <= found[0] + found[1] + seconds
  );
}

/** When an answer was made, in seconds since 1970: by its Date, else when it came by the clock of this machine. */
function madeAt(answer) {
  const date = Date.parse(answer.header("date"));
  return Number.isNaN(date) ? answer.time : date / 1000;
}

const TEXTS = {
  text: (text, want) => text === want,
  ends: (text, want) => text.endsWith(want),
};

/** Why a value is not as asserted; "" if it is. */
function complaint(value, holds, answer = {}) {
  if ("equal" in holds) {
    return difference(value, holds.equal);
  }
  for (const [facet, is] of Object.entries(TEXTS)) {
    if (facet in holds) {
      return !isContainer(value) && is(textOf(value), holds[facet])
        ? ""
        : `${shown(value)} is not ${holds[facet]}`;
    }
  }
  if (holds.oneOf) {
    return holds.oneOf.some((v) => same(v, value))
      ? ""
      : `${shown(value)} is none of ${shown(holds.oneOf)}`;
  }
  const type = typeOf(value);
  const types = holds.type ? holds.type.split("|") : [type];
  if (
    !types.includes(type) &&
    !(type === "integer" && types.includes("number"))
  ) {
    return `${shown(value)} is no ${types.join(" or ")}`;
  }
  const said = [];
  if (type === "string") {
    said.push(
      [
        holds.pattern && !matches(holds.pattern, value),
        `does not match ${holds.pattern}`,
      ],
      [holds.format && !isFormat(value, holds.format), `is no ${holds.format}`],
      [
        holds.host && !value.includes(answer.host),
        `does not name the host ${answer.host}`,
      ],
    );
  }
  if ((type === "string" || isNumber(value)) && holds.near) {
    const [time, within] = holds.near;
    said.push([
      !isNear(value, within, time),
      `is not within ${within} seconds of ${new Date(time * 1000).toISOString()}`,
    ]);
  }
  if (isNumber(value)) {
    said.push(
      [
        holds.min &&
          compareDecimals(decimal(textOf(value)), decimal(holds.min)) < 0,
        `is below ${holds.min}`,
      ],
      [
        holds.max &&
          compareDecimals(decimal(textOf(value)), decimal(holds.max)) > 0,
        `is above ${holds.max}`,
      ],
    );
  }
  if (type === "string" || type === "array") {
    const length = [...value].length;
    said.push(
      [length < holds.minLength, `is shorter than ${holds.minLength}`],
      [length > holds.maxLength, `is longer than ${holds.maxLength}`],
    );
  }
  const wrong = said.filter(([is]) => is).map(([, how]) => how);
  return wrong.length > 0 ? `${shown(value)} ${wrong.join(" and ")}` : "";
}

module.exports = { complaint, madeAt, moment, FORMATS };
