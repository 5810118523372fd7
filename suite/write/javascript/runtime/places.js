// What stands at the places of an answer: part of the library of tests that flaketap writes. It needs only the language.

const {
  child,
  MISSING,
  each,
  isContainer,
  segments,
  shown,
  textOf,
  difference,
} = require("./json");
const { complaint } = require("./statements");

/** Whether a body is JSON by the media type of the answer. */
function isJSON(answer) {
  const type = (answer.header("content-type") || "")
    .split(";")[0]
    .trim()
    .toLowerCase();
  return type === "" || /^(?:application|text)\/json$|\+json$/.test(type);
}

/** The values at a place of an answer, as in /body/items/0/id, /header/etag, /body: the JSON, or the text where it is none. */
function valuesAt(answer, place) {
  const [root, name, ...rest] = segments(place);
  if (root.name === "header") {
    const lines = answer.lines(name.name);
    const within = rest.map(({ raw }) => `/${raw}`).join("");
    return lines.length > 0 ? each(lines.join("\n"), within) : [];
  }
  if (place === "/body" && !isJSON(answer)) {
    return [answer.text];
  }
  return each(answer.json, place.slice("/body".length));
}

/** Why a place does not satisfy what is asserted of it; "" if it does. */
function placeComplaint(answer, place, holds) {
  const values = valuesAt(answer, place);
  if (values.length === 0) {
    return holds.optional || /\/\*(?:\/|$)/.test(place)
      ? ""
      : `${place}: there is nothing`;
  }
  const wrong = values.map((v) => complaint(v, holds, answer)).find(Boolean);
  return wrong ? `${place}: ${wrong}` : "";
}

/** The text of the value at a place of an answer. */
function textAt(answer, place) {
  const values = valuesAt(answer, place);
  if (values.length === 0) {
    throw new Error(`${place}: there is nothing`);
  }
  return isContainer(values[0]) ? shown(values[0]) : textOf(values[0]);
}

/** The texts of all values at a place of an answer. */
function textsAt(answer, place) {
  return valuesAt(answer, place).map((v) =>
    isContainer(v) ? shown(v) : textOf(v),
  );
}

/**
 * Whether an answer has a status and, at each place, a value. Where it has one of never, which no other value was seen
 * to follow, there is no more to wait for either.
 */
function said(answer, { status, values = {}, never = [] }) {
  const has = ([place, want]) =>
    valuesAt(answer, place).some((v) => difference(v, want) === "");
  return (
    answer.status === status &&
    (Object.entries(values).every(has) || never.some(has))
  );
}

const unescaped = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What some segments name within a text: /path/1 or /query/q of a URL, or the text itself where there are none. */
function within(text, path) {
  if (path.length === 0) {
    return text;
  }
  const url =
    /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/.exec(
      text,
    );
  const [what, which, nth = "0"] = path;
  if (what === "path") {
    return url[1]
      .replace(/^\/|\/$/g, "")
      .split("/")
      .map(unescaped)[Number(which)];
  }
  if (what !== "query") {
    return undefined;
  }
  const values = (url[2] || "")
    .split("&")
    .map((pair) =>
      /^([^=]*)=?(.*)$/
        .exec(pair)
        .slice(1)
        .map((t) => unescaped(t.replace(/\+/g, " "))),
    )
    .filter(([key]) => key === which)
    .map(([, value]) => value);
  return values[Number(nth)];
}

/** The text at a place of an answer, as in /body/id, /header/location/path/1; undefined if there is none. */
function take(answer, place) {
  const [root, ...rest] = segments(place).map((s) => s.name);
  if (root === "header") {
    return takeHeader(answer, rest);
  }
  let value;
  try {
    value = answer.json;
  } catch {
    return rest.length === 0 ? answer.text : undefined;
  }
  while (rest.length > 0 && isContainer(value)) {
    value = child(value, rest.shift());
    if (value === MISSING) {
      return undefined;
    }
  }
  return isContainer(value) ? undefined : within(textOf(value), rest);
}

function takeHeader(answer, [name, ...rest]) {
  if (name === "set-cookie") {
    const cookie = answer.cookies.find(([key]) => key === rest[0]);
    return cookie && rest[1] === "unescaped"
      ? unescaped(cookie[1])
      : cookie && cookie[1];
  }
  const lines = answer.lines(name);
  if (lines.length === 0) {
    return undefined;
  }
  const nth = /^\d+$/.test(rest[0] || "") ? Number(rest.shift()) : 0;
  if (name === "link") {
    const links = [...lines.join(", ").matchAll(/<([^>]*)>/g)].map((m) => m[1]);
    return links[nth] === undefined ? undefined : within(links[nth], rest);
  }
  return lines[nth] === undefined ? undefined : within(lines[nth], rest);
}

/**
 * The text at a place of a list whose order may differ: the value known so far while any element still holds it, else
 * the one at that very place.
 */
function find(answer, place, known) {
  const anywhere = place.replace(/\/\d+(?=\/|$)/g, "/*").slice("/body".length);
  let values = [];
  try {
    values = each(answer.json, anywhere).filter((v) => !isContainer(v));
  } catch {
    // It is not JSON.
  }
  return values.some((v) => textOf(v) === known) ? known : take(answer, place);
}

/** The name and the value of each cookie that Set-Cookie lines set. */
function cookiesOf(lines) {
  return lines.map((line) => {
    const [, name, value] = /^([^=;]*)=?([^;]*)/.exec(line);
    return [name.trim(), value.trim().replace(/^"|"$/g, "")];
  });
}

module.exports = {
  cookiesOf,
  find,
  placeComplaint,
  said,
  take,
  textAt,
  textsAt,
  valuesAt,
};
