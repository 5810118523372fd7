'use strict';
// Has each command that a Node program sends to flaketap's WebDriver address name the place in the suite that it comes
// from. flaketap waits sets NODE_OPTIONS so that Node loads this first.
const { AsyncLocalStorage } = require('async_hooks');
const http = require('http');
const Module = require('module');
const path = require('path');
const { fileURLToPath } = require('url');

const driver = (process.env.SELENIUM_REMOTE_URL || '').replace('http://', ''); // a suite's children may have another one
const request = http.request;
const called = new AsyncLocalStorage(); // where the command was called that is being sent

http.request = function (...args) {
  const made = request.apply(this, args);
  if (driver && `${made.host}:${made.getHeader('host')}`.endsWith(driver) && !made.headersSent) {
    const at = place(stack()) || called.getStore();
    if (at) made.setHeader('flaketap-source', encodeURI(at));
  }
  return made;
};
Object.defineProperty(http.request, 'name', { value: 'request' });
Module.syncBuiltinESMExports();

// WebdriverIO sends by libraries that are loaded later: undici, and ws; and what Selenium sends is called somewhere else. What
// a suite loads by such a name may be a file of its own, which is left as it is where it cannot be wrapped.
const load = Module._load;
const known = new WeakSet();
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest);
  try {
    wrap(name, loaded);
  } catch {
    // it has getters, or is not loaded yet
  }
  return loaded;
};

function wrap(name, loaded) {
  if (/(^|[\\/])undici([\\/]index\.js)?$/.test(name) && typeof loaded?.fetch === 'function' && !known.has(loaded)) {
    loaded.fetch = namingFetch(loaded.fetch);
    known.add(loaded);
  }
  if (/(^|[\\/])websocket(\.js)?$/.test(name) && typeof loaded?.prototype?.send === 'function' && !known.has(loaded)) {
    loaded.prototype.send = namingSend(loaded.prototype.send);
    known.add(loaded);
  }
  if (/(^|[\\/])webdriver(\.js)?$/.test(name) && typeof loaded?.WebDriver?.prototype?.execute === 'function' && !known.has(loaded)) {
    loaded.WebDriver.prototype.execute = namingExecute(loaded.WebDriver.prototype.execute);
    known.add(loaded);
  }
}

// An element that Selenium looks for is a promise which is no one's to await until its own command needs it: then nothing
// leads from what is sent to who called it (findElement(…).sendKeys(…)). What driver.wait asks for has no place.
function namingExecute(real) {
  return function execute(...args) {
    const lines = stack();
    if (lines.some((line) => line.includes('pollCondition'))) return real.apply(this, args);
    return called.run(place(lines), () => real.apply(this, args));
  };
}

// globals says whether WebdriverIO's runner gives the files of a suite its names.
const globals = () => typeof globalThis.browser === 'object' && typeof globalThis.$ === 'function';

const fromWebdriverIO = (lines) => lines.some((line) => /[\\/]node_modules[\\/]webdriver[\\/]build[\\/]/.test(line));

function namingFetch(real) {
  return function fetch(url, options, ...rest) {
    const lines = stack();
    if (fromWebdriverIO(lines) && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname) && options?.headers instanceof Headers) {
      const at = place(lines);
      if (at) options.headers.set('flaketap-source', encodeURI(at));
      if (globals()) options.headers.set('flaketap-globals', 'yes');
    }
    return real.call(this, url, options, ...rest);
  };
}

// A command of BiDi has no headers: flaketap takes the last field away again. What $ finds WebdriverIO waits for by itself,
// but where it is asked whether that is displayed.
function namingSend(real) {
  return function send(text, ...rest) {
    const lines = String(this.url).includes('/flaketap/session/') && typeof text === 'string' && text.startsWith('{"id":') ? stack() : [];
    if (fromWebdriverIO(lines)) {
      const within = (name) => lines.some((line) => name.test(line));
      const asks = within(/\.isDisplayed \(/);
      const first = asks || within(/\.\$ \(/);
      const waits = (first && !asks) || within(/\.waitFor\w+ \(/);
      text = `${text.slice(0, -1)},"flaketap":${JSON.stringify({ source: waits ? '' : place(lines), first, globals: globals() })}}`;
    }
    return real.call(this, text, ...rest);
  };
}

function stack() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const { stack } = new Error();
  Error.stackTraceLimit = limit;
  return typeof stack === 'string' ? stack.split('\n').slice(2) : []; // a suite may have stacks made its own way
}

// Lines of a stack: "at name (file:line:column)" and "at file:line:column". Names of folders have brackets too.
const inFunction = /\(((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)\)$/;
const alone = /^\s*at (?:async )?((?:file:\/\/|\/|[A-Za-z]:\\).*):(\d+):(\d+)$/;

// place are the calls that stand in no library, the nearest first, each in a line: file:line:column, the file from the
// working folder.
function place(lines) {
  const places = [];
  for (const line of lines) {
    if (places.length > 20) break;
    const found = inFunction.exec(line) || alone.exec(line);
    if (!found || found[1].includes('<anonymous>')) continue;
    const file = found[1].startsWith('file://') ? fileURLToPath(found[1]) : found[1];
    if (file === __filename || /[\\/]node_modules[\\/]/.test(file)) continue;
    places.push(`${path.relative(process.cwd(), file).split(path.sep).join('/')}:${found[2]}:${found[3]}`);
  }
  return places.join('\n');
}
