// What external services answer while a test runs, and what the API asks of them. It needs Node 18 or later and nothing else.
//
// FLAKETAP_MOCKS is where `flaketap mock serve` is told. Where that is not set, the stubs are served here, at the port of
// FLAKETAP_MOCKS_PORT: see README.md.

const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { isDeepStrictEqual } = require("node:util");
const { reset, send } = require("./flaketap");

// As often as calls in a row are counted: how often what never ends depends on the machine.
const OFTEN = 10;

/** Puts the API back to its start, and has its services answer as a file says. */
async function loadMocks(name) {
  if (process.env.FLAKETAP_RESET) {
    await reset(process.env.FLAKETAP_RESET);
  }
  const file = path.join(__dirname, "..", "mocks", `${name}.json`);
  const answer = await send({
    method: "PUT",
    target: "/stubs",
    base: await started(),
    body: fs.readFileSync(file),
  });
  if (answer.status !== 204) {
    throw new Error(`${file}: ${answer.text}`);
  }
}

/** Where external services tell what they were asked. */
const mocks = { url: process.env.FLAKETAP_MOCKS };

let server;

/** Where external services are told what to answer; it starts what tells them, where nothing else does. */
async function started() {
  if (!mocks.url) {
    const port = process.env.FLAKETAP_MOCKS_PORT;
    if (!port) {
      throw new Error(
        "nothing answers for the API's external services: run `flaketap mock serve --start CMD -- npm test`, or see README.md",
      );
    }
    server = http.createServer(serve);
    await new Promise((resolve, reject) =>
      server
        .on("error", reject)
        .listen(Number(port), "127.0.0.1", () => resolve()),
    );
    mocks.url = `http://127.0.0.1:${server.address().port}`;
  }
  return mocks.url;
}

/** A test that leaves the API hanging: it is started anew when the test is over. */
function testHang(name, body) {
  const how = process.env.FLAKETAP_RESTART;
  if (!how) {
    test.skip(
      `${name}: FLAKETAP_RESTART does not say how the API is started anew`,
      body,
    );
    return;
  }
  test(name, async () => {
    try {
      await body();
    } finally {
      await reset(how);
    }
  });
}

if (typeof afterAll !== "undefined") {
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });
}

let stubs = [];
let states = {};
let calls = [];

/** Answers a request to a service: the first segment of its path, as in http://127.0.0.1:9000/rates.example.com:443/latest. */
async function serve(request, response) {
  response.on("error", () => {});
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  const { method, url } = request;
  // No call depends on a connection that another left, and another file of tests has a server of its own.
  response.setHeader("Connection", "close");
  if (method === "PUT" && url === "/stubs") {
    const wrong = load(JSON.parse(body));
    response.writeHead(wrong ? 422 : 204).end(wrong);
  } else if (method === "GET" && url === "/calls") {
    response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify({ calls: asked() }));
  } else {
    const [, service, target] = /^\/([^/]*)(.*)$/.exec(url);
    await answer(request, response, {
      service: decodeURIComponent(service),
      method,
      target: target || "/",
      ...(body && { body: valueOf(body) }),
    });
  }
}

function valueOf(body) {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const KNOWN = {
  request: "host port method url urlPath urlPattern urlPathPattern",
  response:
    "status interimStatus headers body jsonBody fixedDelayMilliseconds fault",
};

/** Takes other stubs, or says what of them is not served here. */
function load({ mappings }) {
  for (const mapping of mappings) {
    for (const [part, names] of Object.entries(KNOWN)) {
      const unknown = Object.keys(mapping[part] || {}).find(
        (name) => !names.split(" ").includes(name),
      );
      if (unknown) {
        return `${unknown} is not served here: run the tests by flaketap mock serve`;
      }
    }
  }
  stubs = [...mappings]
    .reverse()
    .sort((a, b) => (a.priority ?? 5) - (b.priority ?? 5));
  states = {};
  calls = [];
  return "";
}

function isFor({ request = {} }, { service, method, target }) {
  const at = service.lastIndexOf(":");
  const [host, port] = [service.slice(0, at), service.slice(at + 1)];
  const [pathOnly] = target.split("?");
  const whole = (pattern, text) =>
    pattern === undefined || new RegExp(`^(?:${pattern})$`, "s").test(text);
  return (
    [undefined, "ANY", method].includes(request.method) &&
    (request.host?.equalTo ?? host).toLowerCase() === host.toLowerCase() &&
    String(request.port ?? port) === port &&
    (request.url ?? target) === target &&
    (request.urlPath ?? pathOnly) === pathOnly &&
    whole(request.urlPattern, target) &&
    whole(request.urlPathPattern, pathOnly)
  );
}

/** The stub that is for a call, undefined where there is none. */
function choose(call) {
  const stub = stubs.find(
    (s) =>
      isFor(s, call) &&
      (!s.requiredScenarioState ||
        s.requiredScenarioState === (states[s.scenarioName] ?? "Started")),
  );
  if (stub?.newScenarioState) {
    states[stub.scenarioName] = stub.newScenarioState;
  }
  return stub;
}

/**
 * How many milliseconds every answer is held back: calls that are made side by side may come one
 * after the other, and are known as what they are only while the first has no answer.
 */
const SIDE_BY_SIDE = 20;
/** Nobody looks at the order of very many calls. */
const MAX_HELD = 100;

async function answer(request, response, call) {
  const note = { call, begun: performance.now(), ended: 0 };
  calls.push(note);
  const stub = choose(call);
  const { status, headers, body, jsonBody, fault, ...rest } = stub
    ? (stub.response ?? {})
    : { status: 404, body: `no stub for ${call.method} ${call.service}\n` };
  const delay = Math.max(
    rest.fixedDelayMilliseconds ?? 0,
    calls.length > MAX_HELD ? 0 : SIDE_BY_SIDE,
  );
  if (rest.interimStatus) {
    request.socket.write(`HTTP/1.1 ${rest.interimStatus} Interim\r\n\r\n`);
  }
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, delay);
    request.socket.on("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
  if (request.socket.destroyed) {
    return;
  }
  note.ended = performance.now();
  if (fault) {
    fail(request.socket, fault);
    return;
  }
  const text = jsonBody === undefined ? (body ?? "") : JSON.stringify(jsonBody);
  const head = ledHere(headers, call.service, request.headers.host);
  response.writeHead(status ?? 200, head).end(text);
}

/**
 * The fields of a head whose references to their own service lead here, where its name is the first
 * segment of the path.
 */
function ledHere(headers = {}, service, here) {
  const [host, port] = service
    .split(/:(?=\d+$)/)
    .map((part) => part.replace(/[^\w]/g, "\\$&"));
  const own = new RegExp(`(^|<)(https?://${host}(?::${port})?)?/(?!/)`, "g");
  const lead = (value) =>
    String(value).replace(
      own,
      (_, open, base) => `${open}${base ? `http://${here}` : ""}/${service}/`,
    );
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!/^(location|link)$/i.test(name)) {
        return [name, value];
      }
      return [name, Array.isArray(value) ? value.map(lead) : lead(value)];
    }),
  );
}

/** Ends a connection in the way of a fault. */
function fail(socket, fault) {
  switch (fault) {
    case "MALFORMED_RESPONSE_CHUNK":
      socket.end(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk",
      );
      break;
    case "RANDOM_DATA_THEN_CLOSE":
      socket.end("\x16no HTTP\x00");
      break;
    case "CONNECTION_RESET_BY_PEER":
      socket.resetAndDestroy();
      break;
    default:
      socket.destroy();
  }
}

/** The calls as they began; those that were under way at the same time are sorted, and repeated ones listed once. */
function asked() {
  const groups = [];
  let end = -1;
  for (const { call, begun, ended } of calls) {
    if (begun < end) {
      groups.at(-1).push(call);
      end = Math.max(end, ended);
    } else {
      groups.push([call]);
      end = ended;
    }
  }
  const key = (call) =>
    JSON.stringify([call.service, call.method, call.target, call.body]);
  const out = [];
  for (const call of groups.flatMap((group) =>
    group.sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  )) {
    const last = out.at(-1);
    if (last && isDeepStrictEqual({ ...call, times: last.times }, last)) {
      last.times = Math.min(last.times + 1, OFTEN);
    } else {
      out.push({ ...call, times: 1 });
    }
  }
  return out;
}

module.exports = { loadMocks, mocks, testHang };
