// Sends requests as they were recorded, and reads and compares the answers. It needs Node 18 or later and nothing else.

const { spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const https = require("node:https");
const path = require("node:path");
const util = require("node:util");
const zlib = require("node:zlib");
const { digestComplaint } = require("./digests");
const json = require("./json");
const places = require("./places");
const { relationComplaint } = require("./relations");
const statements = require("./statements");
const texts = require("./texts");
const recorded = require("../recorded.json");

const TIMEOUT = 1000 * Number(process.env.FLAKETAP_TIMEOUT || 30);
const PAUSE = 100; // milliseconds before a request is sent again that is waited for
const BASE = process.env.FLAKETAP_URL || recorded.target;

if (process.env.FLAKETAP_INSECURE) {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
}

/** What the API answered. */
class Answer {
  constructor(status, headers, body, host) {
    this.status = status;
    this.headers = headers; // pairs
    this.body = body; // a Buffer, without content coding
    this.host = host; // the authority that was asked
    this.time = Date.now() / 1000;
  }

  /** When it was made, in seconds since 1970. */
  get now() {
    return statements.madeAt(this);
  }

  /** The lines of a header, its name in any case. */
  lines(name) {
    return this.headers
      .filter(([key]) => key.toLowerCase() === name.toLowerCase())
      .map(([, value]) => value);
  }

  /** A header as one text, undefined where the answer has none. */
  header(name) {
    const lines = this.lines(name);
    return lines.length > 0 ? lines.join(", ") : undefined;
  }

  /** The cookies that it sets: pairs of name and value. */
  get cookies() {
    return places.cookiesOf(this.lines("set-cookie"));
  }

  get cookieNames() {
    return this.cookies.map(([name]) => name);
  }

  get size() {
    return this.body.length;
  }

  get sha256() {
    return createHash("sha256").update(this.body).digest("hex");
  }

  /** The digest of some bytes in hex. */
  hash(kind, bytes) {
    return createHash(kind).update(bytes).digest("hex");
  }

  get text() {
    return this.body.toString("utf8");
  }

  /** The body as JSON; numbers that JavaScript would change keep their notation. */
  get json() {
    this.read ??= { value: json.parseJSON(this.text) };
    return this.read.value;
  }
}

/** The headers of a request: its own, and the usual ones that it neither has otherwise nor goes without. */
function headersOf({ headers = [], without = [] }) {
  const named = new Set(
    [...headers.map(([name]) => name), ...without].map((name) =>
      name.toLowerCase(),
    ),
  );
  const usual = recorded.headers
    .filter(({ name }) => !named.has(name.toLowerCase()))
    .map(({ name, value }) => [name, recordedText(value)]);
  return [...usual, ...headers];
}

/** Sends a request until its answer has the status and the values of request.until, for so many seconds at most. */
async function untilSaid(sendOnce, own) {
  const request = { ...own, headers: headersOf(own) };
  const end = Date.now() + 1000 * request.until?.seconds;
  for (;;) {
    const answer = await sendOnce(request);
    if (
      !request.until ||
      places.said(answer, request.until) ||
      Date.now() >= end
    ) {
      return answer;
    }
    await new Promise((resolve) =>
      setTimeout(resolve, request.until.every ?? PAUSE),
    );
  }
}

/** Sends a request by fetch, follows no redirect, and reads the answer. */
const send = (request) => untilSaid(sendFetch, request);

async function sendFetch(request) {
  const { method, headers = [], body, chunked } = request;
  const url = new URL(urlOf(request));
  const options = {
    method,
    headers: new Headers(headers),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT),
  };
  if (body !== undefined) {
    const bytes = Buffer.from(body);
    Object.assign(
      options,
      chunked
        ? { body: new Blob([bytes]).stream(), duplex: "half" }
        : { body: bytes },
    );
  }
  const response = await again(() => fetch(url, options));
  const pairs = [...response.headers].filter(([name]) => name !== "set-cookie");
  const cookies = response.headers
    .getSetCookie()
    .map((line) => ["set-cookie", line]);
  const bytes = Buffer.from(await response.arrayBuffer());
  const answer = new Answer(
    response.status,
    [...pairs, ...cookies],
    bytes,
    url.host,
  );
  return noteRefusal(request, answer);
}

/** Tries again if the connection was closed while idle. */
async function again(attempt) {
  try {
    return await attempt();
  } catch (e) {
    const code = e.cause?.code;
    if (
      code !== "UND_ERR_SOCKET" &&
      code !== "ECONNRESET" &&
      code !== "EPIPE"
    ) {
      throw e;
    }
    return attempt();
  }
}

function urlOf({ target, base }) {
  return (base || BASE).replace(/\/+$/, "") + target;
}

/** Sends a request by node:http, which changes nothing: for requests that fetch refuses or alters. */
const sendRaw = (request) => untilSaid(sendPlain, request);

function sendPlain(request) {
  const { method, target, headers = [], body, chunked } = request;
  const timeout = request.timeout ?? TIMEOUT;
  const [, scheme, host, prefix] = /^(https?):\/\/([^/]*)(.*)$/.exec(
    (request.base || BASE).replace(/\/+$/, ""),
  );
  const { hostname, port } = new URL(`${scheme}://${host}`);
  return new Promise((resolve, reject) => {
    const client = scheme === "https" ? https : http;
    const req = client.request({
      method,
      path: prefix + target,
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      agent: false,
      setHost: false,
      insecureHTTPParser: true,
      timeout,
    });
    req.on("timeout", () =>
      req.destroy(
        Object.assign(new Error(`no answer within ${timeout} ms`), { timeout }),
      ),
    );
    req.on("error", reject);
    req.on("response", (res) => {
      const chunks = [];
      res.on("data", (chunk) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        req.destroy();
        try {
          const coding = res.headers["content-encoding"] || "";
          const answer = new Answer(
            res.statusCode,
            pairsOf(res.rawHeaders),
            decoded(Buffer.concat(chunks), coding),
            host,
          );
          resolve(noteRefusal(request, answer));
        } catch (e) {
          reject(e);
        }
      });
    });
    req.setHeader("Host", host);
    for (const [name] of headers) {
      const lines = headers.filter(
        ([other]) => other.toLowerCase() === name.toLowerCase(),
      );
      req.setHeader(
        name,
        lines.length > 1 ? lines.map(([, value]) => value) : lines[0][1],
      );
    }
    if (!req.hasHeader("Connection")) {
      req.removeHeader("Connection");
    }
    if (chunked) {
      req.setHeader("Transfer-Encoding", "chunked");
    } else if (body !== undefined) {
      req.setHeader("Content-Length", Buffer.byteLength(body));
    } else {
      req.removeHeader("Transfer-Encoding");
    }
    req.end(body);
  });
}

/** How a request ends that is not to be answered: it "hangs" for so many seconds, "breaks off", or "answers" with a status. */
async function ends({ seconds, ...request }) {
  const sent = {
    ...request,
    headers: headersOf(request),
    timeout: 1000 * seconds,
  };
  try {
    const answer = await sendPlain(sent);
    return `answers ${answer.status}`;
  } catch (e) {
    return e.timeout ? "hangs" : "breaks off";
  }
}

function pairsOf(flat) {
  return flat
    .filter((_, i) => i % 2 === 0)
    .map((name, i) => [name, flat[2 * i + 1]]);
}

/** A body without its content codings. */
function decoded(body, codings) {
  const readers = {
    gzip: zlib.gunzipSync,
    "x-gzip": zlib.gunzipSync,
    deflate: (b) =>
      (b[0] & 15) === 8 ? zlib.inflateSync(b) : zlib.inflateRawSync(b),
    br: zlib.brotliDecompressSync,
    zstd: zlib.zstdDecompressSync,
  };
  const undo = (b, coding) => {
    const name = coding.trim().toLowerCase();
    if (b.length === 0 || name === "" || name === "identity") {
      return b;
    }
    if (!readers[name]) {
      throw new Error(`this Node cannot read the content coding ${name}`);
    }
    return readers[name](b);
  };
  return codings.split(",").reduceRight(undo, body);
}

/** Sends a request that deletes what a test created; nothing is asserted, and nothing here fails the test. */
async function cleanUp(request) {
  try {
    await (request.raw ? sendRaw : send)(request);
  } catch (e) {
    console.warn(`clean-up: ${e.message}`);
  }
}

/** A set-up that is sent once for all tests of a file. */
function once(setUp) {
  let done;
  return () => {
    if (!done) {
      sharing = true;
      done = setUp().finally(() => {
        sharing = false;
      });
    }
    return done;
  };
}

// The secrets that tests asked for, by environment variable, but for those that the API is to refuse.
const credentials = new Map();

/** A secret: from the environment variable FLAKETAP_ and its name, or from secrets.json. */
function secret(name) {
  const variable = `FLAKETAP_${name}`;
  const value = process.env[variable] || stored(name, variable);
  if (value.length >= 6 && !name.startsWith("REFUSED_")) {
    credentials.set(variable, value);
  }
  return value;
}

/** A secret of secrets.json, or of the file that FLAKETAP_SECRETS names. */
function stored(name, variable) {
  const hint = `give it there, or set the environment variable ${variable}, see README.md`;
  const file =
    process.env.FLAKETAP_SECRETS || path.join(__dirname, "..", "secrets.json");
  if (!fs.existsSync(file)) {
    throw new Error(`${file} is missing, so there is no ${name}: ${hint}`);
  }
  const value = JSON.parse(fs.readFileSync(file, "utf8"))[name];
  if (!value) {
    throw new Error(`${file} has no value for ${name}: ${hint}`);
  }
  return value;
}

/** Says once which credential of the environment the API refuses with 401. */
function noteRefusal({ target, headers = [] }, answer) {
  for (const [name, value] of credentials) {
    const bears =
      target.includes(encodeURIComponent(value)) ||
      headers.some(([, sent]) => String(sent).includes(value));
    if (answer.status === 401 && bears) {
      credentials.delete(name);
      console.warn(
        `the API refused the credential ${name} with 401: if it has expired, set another, see README.md`,
      );
    }
  }
  return answer;
}

/** A text of the recording, which may have secrets in it. */
const recordedText = (value) =>
  typeof value === "string"
    ? value
    : value.map((p) => p.text ?? secret(p.secret)).join("");

/** Bytes that are secret. */
const fromBase64 = (text) => Buffer.from(text, "base64");

/** A text that is another in each run: an API that keeps what it has refuses an account that is there. */
const THIS_RUN = `r${Date.now().toString(36)}${process.pid.toString(36)}`;

/** The values that answers gave and later requests use, by name; until then, those of the recording. */
const bound = Object.create(null);
for (const [name, value] of Object.entries(recorded.bound)) {
  Object.defineProperty(bound, name, {
    get: () => (value === null ? THIS_RUN : recordedText(value)),
    set: undefined,
    configurable: true,
    enumerable: true,
  });
}

const taken = new Set();
const shared = new Set();
let sharing = false;

// What an earlier test was given is not a later one's to change, but for what tests share.
if (typeof beforeEach === "function") {
  beforeEach(() => {
    taken.clear();
    shared.forEach((name) => taken.add(name));
  });
}

/** Whether answers gave values, so that what they name was made by a test. */
const given = (...names) => names.every((name) => taken.has(name));

/** Fails where answers did not give values: a recorded one may name another's thing, which is not to be changed. */
function requireGiven(...names) {
  const missing = names.filter((name) => !taken.has(name));
  if (missing.length > 0) {
    throw new Error(`no answer gave ${missing.join(", ")}`);
  }
}

function keep(name, value, { status }) {
  if (value && status < 400) {
    taken.add(name);
    if (sharing) {
      shared.add(name);
    }
    Object.defineProperty(bound, name, {
      value,
      configurable: true,
      enumerable: true,
    });
  }
}

/** Keeps the text at a place of an answer; if there is none, keeps the known one. */
function take(name, answer, place) {
  keep(name, places.take(answer, place), answer);
}

/** Notes that a request took away what a value names, so that no clean-up does so again, if its answer says that. */
function gone(name, { status }) {
  if (status === 404 || status === 410 || (status < 300 && status !== 202)) {
    taken.delete(name);
  }
}

/** Like take, but the known value is kept while any element of the list still has it. */
function find(name, answer, place) {
  keep(name, places.find(answer, place, bound[name]), answer);
}

/** Matches any value in an expected body; its value is asserted separately. */
const volatile = {
  $$typeof: Symbol.for("jest.asymmetricMatcher"),
  asymmetricMatch: (value) => value !== undefined,
  toString: () => "volatile",
  toAsymmetricMatcher: () => "volatile",
};

/** Matches a value that is as toHold says it, whose text is this, or ends so: { type, format, …, text, ends }. */
const like = (said) => ({
  $$typeof: Symbol.for("jest.asymmetricMatcher"),
  asymmetricMatch: (value) =>
    value !== undefined && statements.complaint(value, said) === "",
  toString: () => "like",
  toAsymmetricMatcher: () => `like(${util.inspect(said)})`,
});

/** An expected JSON number that JavaScript cannot hold, or an expected JSON object with a duplicate key. */
const exact = (token) => new json.Exact(token);
const pairs = (...members) => new json.Pairs(members);

/** A value without the places that are not always there. */
const without = (value, ...pointers) => json.masked(value, [], pointers);

const verdict = (complaint) => ({
  pass: complaint === "",
  message: () => complaint || "all is as said, which was not expected",
});

const matchers = {
  /** What is asserted of the values at a place: { type, format, pattern, min, max, minLength, maxLength, near, host, oneOf, equal, optional }. */
  toHold: (answer, place, holds) =>
    verdict(places.placeComplaint(answer, place, holds)),
  /** The array at a place has these elements, in any order. */
  toHaveItems(answer, place, items, { masks = [], absent = [], extent } = {}) {
    const found = places
      .valuesAt(answer, place)
      .map((v) => json.masked(v, masks, absent));
    const complaint =
      found.length === 0
        ? "there is nothing"
        : json.itemsDifference(found[0], items, extent);
    return verdict(complaint && `${place}: ${complaint}`);
  },
  /** The value at a place follows from those at others: "sum", "/body/total", "/body/a", "/body/b". */
  toBeRelated: (answer, ...relation) =>
    verdict(relationComplaint(answer, ...relation)),
  /** The text at a place holds the digest of the text at another: "md5", "/body"; or so many digits of its hex. */
  toHaveDigest: (answer, ...digest) =>
    verdict(digestComplaint(answer, ...digest)),
  /** A JSON object has these keys. */
  toHaveKeys(value, ...keys) {
    const missing = keys.filter(
      (key) => json.child(value, key) === json.MISSING,
    );
    return verdict(
      missing.length > 0 ? `there is no ${missing.join(", ")}` : "",
    );
  },
  /** A text ends with another. */
  toEndWith: (text, end) =>
    verdict(
      text.endsWith(end)
        ? ""
        : `${json.shown(text)} does not end with ${json.shown(end)}`,
    ),
};

/** Numbers are equal if their values are, in any notation. */
function sameNumber(a, b) {
  const numbers =
    [a, b].every((v) => json.isNumber(v)) &&
    [a, b].some((v) => v instanceof json.Exact);
  return numbers ? json.same(a, b) : undefined;
}

/** Resets the API: a POST to a URL, or a shell command. */
async function reset(how) {
  if (/^https?:\/\//.test(how)) {
    const answer = await fetch(how, {
      method: "POST",
      body: "",
      redirect: "manual",
      signal: AbortSignal.timeout(60000),
    });
    if (!answer.ok) {
      throw new Error(`reset: ${how} answered ${answer.status}`);
    }
    return;
  }
  const options = { shell: true, stdio: "inherit", timeout: 60000 };
  const status = await new Promise((resolve, reject) =>
    spawn(how, options).on("error", reject).on("exit", resolve),
  );
  if (status !== 0) {
    throw new Error(`reset: ${how} ended with ${status}`);
  }
}

if (typeof expect !== "undefined") {
  expect.extend(matchers);
  expect.addEqualityTesters([sameNumber]);
}

module.exports = {
  VOLATILE: json.VOLATILE,
  bound,
  cleanUp,
  ends,
  exact,
  find,
  fromBase64,
  given,
  gone,
  requireGiven,
  once,
  pairs,
  reset,
  secret,
  send,
  sendRaw,
  take,
  textAt: places.textAt,
  textsAt: places.textsAt,
  like,
  volatile,
  without,
  ...texts,
};
