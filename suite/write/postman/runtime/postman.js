// What the scripts of a collection call with their pm.

const { digestComplaint } = require("./digests");
const json = require("./json");
const places = require("./places");
const { relationComplaint } = require("./relations");
const { madeAt } = require("./statements");

/** How long a request that is waited for is left alone before it is sent again, in milliseconds. */
const PAUSE = 100;

/** The digest of some bytes in hex. */
function hash(kind, bytes) {
  const crypto = require("crypto-js");
  const words = crypto.enc.Hex.parse(bytes.toString("hex"));
  return crypto[kind.toUpperCase()](words).toString();
}

/** What the API answered, as the library takes it. */
function answerOf(pm) {
  const body = Buffer.from(pm.response.stream || "");
  const headers = pm.response.headers.all();
  const lines = (name) =>
    headers
      .filter(({ key }) => key.toLowerCase() === name.toLowerCase())
      .map(({ value }) => value);
  let read;
  return {
    lines,
    body,
    status: pm.response.code,
    header: (name) =>
      lines(name).length > 0 ? lines(name).join(", ") : undefined,
    cookies: places.cookiesOf(lines("set-cookie")),
    text: body.toString("utf8"),
    hash,
    host: pm.request.url.getRemote(true),
    time: Date.now() / 1000,
    get json() {
      read = read || { value: json.parseJSON(this.text) };
      return read.value;
    },
  };
}

function flaketap(pm) {
  const answer = answerOf(pm);
  const test = (name, complaint) =>
    pm.test(name, () => {
      const wrong = complaint();
      if (wrong) {
        throw new Error(wrong);
      }
    });
  const equal = (got, want) =>
    got === want ? "" : `${json.shown(got)}, not ${json.shown(want)}`;
  // A value of the recording may be a secret, and is then the name of one.
  const bound = (name) => {
    const value = pm.collectionVariables.get(name);
    return value.includes("{{") ? pm.variables.replaceIn(value) : value;
  };
  const keep = (name, value) => {
    if (value && answer.status < 400) {
      pm.collectionVariables.set(name, value);
      pm.collectionVariables.set(`given ${name}`, "1");
    }
  };
  return {
    bound,
    secret: (name) => pm.environment.get(name),
    host: answer.host,
    get now() {
      return madeAt(answer);
    },
    exact: (token) => new json.Exact(token),
    pairs: (...members) => new json.Pairs(members),
    is: (status) => answer.status === status,
    // Whether the request is to be sent again, as the answer does not say yet what is waited for, and there is time left.
    // Run alone, as by a click on Send, a request is sent once.
    waits: (until) => {
      const since = `${pm.info.requestId} is waited for since`;
      const began = Number(pm.collectionVariables.get(since) || Date.now());
      if (
        places.said(answer, until) ||
        Date.now() >= began + 1000 * until.seconds
      ) {
        pm.collectionVariables.unset(since);
        return false;
      }
      pm.collectionVariables.set(since, String(began));
      pm.execution.setNextRequest(pm.info.requestId);
      setTimeout(() => {}, until.every ?? PAUSE); // the next request waits for what the script has begun
      return true;
    },
    only: (...any) => {
      if (!any.includes(answer.status)) {
        pm.collectionVariables.set("test is over", "1");
      }
    },
    // A request took away what a value names, so that no clean-up does so again, if its answer says that.
    gone: (name) => {
      const { status } = answer;
      if (
        status === 404 ||
        status === 410 ||
        (status < 300 && status !== 202)
      ) {
        pm.collectionVariables.unset(`given ${name}`);
      }
    },
    take: (name, place) => keep(name, places.take(answer, place)),
    find: (name, place) => keep(name, places.find(answer, place, bound(name))),
    status: (...any) =>
      test(`status ${any.join(" or ")}`, () =>
        any.includes(answer.status) ? "" : `${answer.status}`),
    header: (name, ...want) =>
      test(`header ${name}`, () =>
        equal(answer.lines(name).join("\n"), want.join("\n"))),
    cookie: (name) =>
      test(`cookie ${name}`, () =>
        answer.cookies.some(([key]) => key === name) ? "" : "it is not set"),
    size: (want) =>
      test("size of the body", () => equal(answer.body.length, want)),
    text: (want) => test("body", () => equal(answer.text, want)),
    sha256: (want) =>
      test("digest of the body", () =>
        equal(hash("sha256", answer.body), want)),
    json: (want, { masks = [], absent = [] } = {}) =>
      test("body", () =>
        json.difference(json.masked(answer.json, masks, absent), want)),
    keys: (...keys) =>
      test("keys of the body", () => {
        const missing = keys.filter(
          (key) => json.child(answer.json, key) === json.MISSING,
        );
        return missing.length > 0 ? `there is no ${missing.join(", ")}` : "";
      }),
    elements: (want) =>
      test("elements of the body", () => equal(answer.json.length, want)),
    hold: (place, holds) =>
      test(place, () => places.placeComplaint(answer, place, holds)),
    items: (place, want, { masks = [], absent = [], extent } = {}) =>
      test(place, () => {
        const found = places
          .valuesAt(answer, place)
          .map((v) => json.masked(v, masks, absent));
        return found.length === 0
          ? "there is nothing"
          : json.itemsDifference(found[0], want, extent);
      }),
    equal: (place, want) =>
      test(place, () => equal(places.textAt(answer, place), want)),
    some: (place, want) =>
      test(place, () => {
        const texts = places.textsAt(answer, place);
        return texts.includes(want)
          ? ""
          : `${json.shown(want)} is not among ${json.shown(texts)}`;
      }),
    ends: (place, want) =>
      test(place, () => {
        const text = places.textAt(answer, place);
        return text.endsWith(want)
          ? ""
          : `${json.shown(text)} does not end with ${json.shown(want)}`;
      }),
    related: (kind, place, ...of) =>
      test(`${place}: ${kind}`, () =>
        relationComplaint(answer, kind, place, ...of)),
    digest: (place, kind, of, digits) =>
      test(`${place}: ${kind}`, () =>
        digestComplaint(answer, place, kind, of, digits)),
  };
}

module.exports = flaketap;
