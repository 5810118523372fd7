// Posts by the library that CLIENT names, after it has done what FIRST says: programs load their libraries in any order.
const first = {
  nothing() {},
  Request: () => new Request('http://localhost/'),
  Headers: () => new Headers(),
  Response: () => new Response('ok'),
  FormData: () => new FormData(),
  WebSocket: () => globalThis.WebSocket,
  axios: () => require('axios'),
  undici: () => require('undici'),
  agent: () => require('undici').setGlobalDispatcher(new (require('undici').Agent)()),
};

const text = (response) => {
  if (response.status !== 200) throw new Error(`${response.url} answers ${response.status}`);
  return response.text();
};

const clients = {
  fetch: (url, body) => fetch(url, { method: 'POST', body }).then(text),
  request: (url, body) => fetch(new Request(url, { method: 'POST', body })).then(text),
  undici: (url, body) => require('undici').request(url, { method: 'POST', body }).then((response) => response.body.text()),
  'undici fetch': (url, body) => require('undici').fetch(url, { method: 'POST', body }).then(text),
  'undici Client': async (url, body) => {
    const client = new (require('undici').Client)(new URL(url).origin);
    const { pathname, search } = new URL(url);
    await client.request({ path: pathname + search, method: 'POST', body }).then((response) => response.body.text());
    await client.close();
  },
  'undici HTTP/2': async (url, body) => {
    const agent = new (require('undici').Agent)({ allowH2: true });
    await require('undici').request(url, { method: 'POST', body, dispatcher: agent }).then((response) => response.body.text());
    await agent.close();
  },
  axios: (url, body) => require('axios').post(url, body),
  'axios fetch': (url, body) => require('axios').post(url, body, { adapter: 'fetch' }),
  got: (url, body) => import(`${process.env.NODE_PATH}/got/dist/source/index.js`).then(({ got }) => got.post(url, { body })),
  'got HTTP/2': (url, body) => import(`${process.env.NODE_PATH}/got/dist/source/index.js`).then(({ got }) => got.post(url, { body, http2: true })),
  'node-fetch': (url, body) => import(`${process.env.NODE_PATH}/node-fetch/src/index.js`).then((m) => m.default(url, { method: 'POST', body })).then(text),
  superagent: (url, body) => require('superagent').post(url).send(body),
};

const run = async (body, urls) => {
  await first[process.env.FIRST || 'nothing']();
  for (const url of urls) await clients[process.env.CLIENT](url, body);
};
const { Worker, isMainThread, workerData } = require('worker_threads');
const [body, ...urls] = process.argv.slice(2);
if (isMainThread && process.env.THREAD) new Worker(__filename, { workerData: { body, urls }, execArgv: [] });
else if (isMainThread) run(body, urls);
else run(workerData.body, workerData.urls);
