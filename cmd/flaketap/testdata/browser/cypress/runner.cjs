// Runs a spec as Cypress does, in Chromium by way of Playwright: its commands one after the other, assertions until they
// hold. It knows the commands that the specs here have, and fails of any other. Usage: runner.cjs SPEC TIMES
const http = require('node:http');
const path = require('node:path');
const { chromium } = require('playwright-core');

const base = process.env.FLAKETAP_URL || process.env.PAGES;
const tests = [];
const before = [];
const after = [];
let queue = [];
let page;
let routes = [];

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, holds, most) {
  for (const end = Date.now() + most; ; await pause(20)) {
    if (await holds()) return;
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
  }
}

const assertions = {
  'have.text': (text, want) => text === want,
  'not.have.text': (text, want) => text !== want,
};

// chain queues commands; those on an element are given how it is found.
function chain(find) {
  return {
    click: () => (queue.push(() => find().click()), chain(find)),
    should: (how, want) => {
      const holds = async () => assertions[how](await find().textContent(), want);
      queue.push(() => until(`${how} ${want}`, holds, 4000));
      return chain(find);
    },
  };
}

globalThis.cy = {
  visit: (to) => queue.push(() => page.goto(base + to, { waitUntil: 'load' })),
  get: (selector) => chain(() => page.locator(selector)),
  request: (url) => queue.push(() => new Promise((done, failed) => {
    http.get(url, (r) => (r.resume(), r.statusCode < 300 ? done() : failed(new Error(`${url}: ${r.statusCode}`)))).on('error', failed);
  })),
  wait: (what, { requestTimeout = 5000 } = {}) => queue.push(async () => {
    if (typeof what === 'number') return pause(what);
    for (const alias of [what].flat()) {
      const route = routes.find((r) => `@${r.alias}` === alias);
      const fresh = () => route.seen.find((r) => r.answered && !r.waited);
      await until(`cy.wait('${alias}')`, fresh, requestTimeout);
      fresh().waited = true;
    }
  }),
  intercept: (method, pathname) => {
    const route = { seen: [] };
    queue.push(() => {
      routes.push(route);
      const is = (r) => r.method() === method && new URL(r.url()).pathname === pathname;
      page.on('request', (r) => is(r) && route.seen.push({ of: r }));
      page.on('requestfinished', (r) => is(r) && (route.seen.find((s) => s.of === r).answered = true));
    });
    return { as: (alias) => { route.alias = alias; } };
  },
};
globalThis.describe = (name, body) => body();
globalThis.it = (name, body) => tests.push({ name, body });
globalThis.before = (body) => before.push(body);
globalThis.afterEach = (body) => after.push(body);

async function run(body, context) {
  queue = [];
  body.call(context);
  for (const command of queue) await command();
}

(async () => {
  const [spec, times] = process.argv.slice(2);
  require(path.resolve(spec));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  for (let n = 0; n < Number(times); n++) {
    for (const hook of before) await run(hook);
    for (const test of tests) {
      routes = [];
      page = await browser.newPage();
      const currentTest = { state: 'passed' };
      try {
        await run(test.body);
      } catch (err) {
        console.log(`failed: ${test.name}: ${err.message}`);
        process.exitCode = 1;
        currentTest.state = 'failed';
      }
      for (const hook of after) await run(hook, { currentTest });
      await page.close();
    }
  }
  await browser.close();
})();
