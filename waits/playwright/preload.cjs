'use strict';
// Has a suite of Playwright tell flaketap of each command of it, and be told whether it may go on, and whether to ask again.
// flaketap waits sets NODE_OPTIONS so that Node loads this first. Where flaketap does not answer, a command goes on.
const childProcess = require('child_process');
const fs = require('fs');
const module_ = require('module');
const net = require('net');
const path = require('path');

const [host, port] = (process.env.FLAKETAP_WAITS || '').split(':');

const load = module_._load;
module_._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (port && /playwright/.test(request)) {
    try {
      tap(loaded);
    } catch {
      // a file of the suite's own that has this in its name, and is not loaded to its end yet
    }
  }
  return loaded;
};

// tap wraps the one method by which all commands of a suite leave it.
const tapped = new WeakSet();
function tap(library) {
  const proto = library?.chromium?._connection && Object.getPrototypeOf(library.chromium._connection);
  if (!proto?.sendMessageToServer || tapped.has(proto)) return;
  tapped.add(proto);
  delete process.env.SELENIUM_REMOTE_URL; // flaketap's, for Selenium: Playwright takes it for a grid, and starts its browsers there
  const send = proto.sendMessageToServer;
  proto.sendMessageToServer = function sendMessageToServer(object, method, params, options) {
    const pass = (changed, more) => send.call(this, object, method, { ...params, ...changed }, { ...options, ...more });
    const type = object._type;
    if (type === 'BrowserType' && /^launch(PersistentContext)?$/.test(method)) return launched(object, params, pass);
    if (type === 'Browser' && method === 'close') return told({ ends: numbers.get(object) }).then(() => pass());
    if (type === 'BrowserContext' && method === 'newPage') return pass().then((made) => opened(object, made));
    const known = options?.internal ? undefined : commandOf(object, method, params ?? {}, options?.apiName);
    if (!known) return send.call(this, object, method, params, options);
    const ask = (about, what) => send.call(this, object, about, what, { ...options, callId: undefined, timeout: brief });
    const [source = '', ...callers] = placesOf(options);
    const command = { source, callers: callers.map((place) => ({ place })), ...known.command };
    return commanded(object, { ...known, command }, pass, ask);
  };
}

// placesOf are the calls of a command that stand in no library, the nearest first: file:line:column, the file from the
// working folder.
function placesOf(options) {
  const frames = options?.frames?.filter(({ file }) => file && !/[\\/]node_modules[\\/]/.test(file)) ?? [];
  return frames.map(({ file, line, column }) => `${path.relative(process.cwd(), file).split(path.sep).join('/')}:${line}:${column}`);
}

// Browsers listen to flaketap beside Playwright, which speaks to them by a pipe. What is started with the mark tells
// where it keeps its files: in one of them, it says at which port it listens.
const mark = '--flaketap-browser=';
const folders = new Map();
const portFile = (folder) => path.join(folder, 'DevToolsActivePort');
const spawn = childProcess.spawn;
childProcess.spawn = function (file, args, ...rest) {
  const marked = Array.isArray(args) && args.find((arg) => String(arg).startsWith(mark));
  if (!marked) return spawn.call(this, file, args, ...rest);
  const own = args.filter((arg) => arg !== marked);
  const folder = String(own.find((arg) => arg.startsWith('--user-data-dir=')) ?? '').slice(16);
  if (folder) fs.rmSync(portFile(folder), { force: true }); // that of an earlier browser of this profile
  folders.set(marked, folder);
  if (!own.some((arg) => arg.startsWith('--remote-debugging-port'))) own.unshift('--remote-debugging-port=0');
  return spawn.call(this, file, own, ...rest);
};
Object.defineProperty(childProcess.spawn, 'name', { value: 'spawn' });
module_.syncBuiltinESMExports();

const numbers = new WeakMap(); // of browsers, as flaketap counts them: a promise
let launches = 0;

async function launched(type, params, pass) {
  if (type._initializer?.name !== 'chromium') return pass();
  const marked = `${mark}${++launches}`;
  const made = await pass({ args: [...(params.args ?? []), marked] });
  const browser = made.browser?._object ?? browserOf(made.context?._object);
  if (browser) {
    numbers.set(browser, told({ starts: await addressOf(folders.get(marked)) }).then((says) => says?.browser));
    await numbers.get(browser);
  }
  return made;
}

async function addressOf(folder) {
  for (let i = 0; folder && i < 500; i++) {
    try {
      const [line, rest] = fs.readFileSync(portFile(folder), 'utf8').split('\n');
      if (rest !== undefined) return `127.0.0.1:${line}`;
    } catch {
      // it is not there yet
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return '';
}

function browserOf(object) {
  while (object && object._type !== 'Browser') object = object._parent;
  return object;
}

// numberOf is the number of the browser that a command goes to; one that the suite did not start itself is not watched.
async function numberOf(object) {
  const browser = browserOf(object);
  if (!browser) return undefined;
  if (!numbers.has(browser)) numbers.set(browser, told({ starts: '' }).then((says) => says?.browser));
  return numbers.get(browser);
}

// opened has flaketap watch a page before anything happens in it.
async function opened(context, made) {
  await told({ opens: await numberOf(context) });
  return made;
}

async function told(message) {
  const resolved = Object.fromEntries(await Promise.all(Object.entries(message).map(async ([k, v]) => [k, await v])));
  const line = converse();
  try {
    return await line.say(resolved);
  } finally {
    line.end();
  }
}

// converse begins a conversation: lines of JSON, one of each side in turn. say is given null once it has ended.
function converse() {
  const socket = net.connect(Number(port), host).setNoDelay(true).setEncoding('utf8');
  let text = '';
  let over = false;
  let answer = () => {};
  const ends = () => {
    over = true;
    answer(null);
  };
  socket.on('error', ends).on('close', ends).on('data', (more) => {
    text += more;
    if (text.endsWith('\n')) answer(JSON.parse(text));
  });
  return {
    say: (message) => new Promise((resolve) => {
      text = '';
      answer = resolve;
      if (over) resolve(null);
      else socket.write(`${JSON.stringify(message)}\n`);
    }),
    end: () => socket.end(),
  };
}

const brief = 250; // milliseconds that Playwright waits for an element when it is asked again

async function commanded(object, { command, once, answerOf, secret, about }, pass, ask) {
  const line = converse();
  try {
    command.browser = await numberOf(object);
    await line.say({ command, once });
    const outcomes = [];
    let says;
    do {
      const outcome = await attempt(() => (outcomes.length ? pass({ timeout: brief }, { callId: undefined, timeout: brief }) : pass()));
      outcomes.push(outcome);
      const hidden = secret && 'value' in outcome && await isPassword(secret, ask);
      says = await line.say({ answer: hidden ? { value: '{"password":"left out"}' } : said(outcome, answerOf) });
      if (says?.look) says = await line.say({ names: about ? await namesOf(object, about, ask) : null });
    } while (says?.again);
    const given = outcomes[says?.give ?? 0];
    if ('error' in given) throw given.error;
    return given.value;
  } finally {
    line.end();
  }
}

async function attempt(what) {
  try {
    return { value: await what() };
  } catch (error) {
    return { error };
  }
}

function said({ value, error }, answerOf) {
  if (error) return { error: /strict mode violation/.test(error.message) ? 'strict mode violation' : String(error.name) };
  const answer = answerOf?.(value);
  return answer === none ? { error: 'no such element' } : { value: answer === undefined ? '' : JSON.stringify(answer) };
}

// isPassword reports whether an element is a password field. One of which it is not known is taken for one.
async function isPassword(params, ask) {
  const { value } = await attempt(() => ask('getAttribute', { ...params, name: 'type', timeout: brief }));
  return !value || String(value.value).toLowerCase() === 'password';
}

let look; // look.js, once it is needed

// namesOf is by what else the element could be found that a selector finds: each name that Playwright itself finds it by, and nothing
// else, as flaketap's look.js has them. Those of frames are not looked for, as a locator begins at the page.
async function namesOf(frame, { selector, strict }, ask) {
  if (frame._parentFrame) return null;
  const { value } = await attempt(async () => {
    look ??= fs.readFileSync(path.join(__dirname, 'look.js'), 'utf8');
    const arg = { value: { v: 'undefined' }, handles: [] };
    const looked = await ask('evalOnSelector', { selector, strict, expression: look, isFunction: true, arg });
    const names = JSON.parse(plain(looked.value)).at(-1);
    const count = async (locator) => (await ask('queryCount', { selector: locator._selector })).value;
    const own = frame.locator(selector);
    const only = await Promise.all(names.map(async (name) => {
      const by = locatorOf(frame, name);
      return await count(by) === 1 && await count(own.and(by)) === 1 ? [name] : [];
    }));
    return [only.flat()];
  });
  return value ?? null;
}

// locatorOf is the locator that waits are written with for a name (package explicit).
function locatorOf(frame, { by, locator, role, text }) {
  switch (by) {
    case 'role': return frame.getByRole(role, text ? { name: text, exact: true } : {});
    case 'text': return frame.getByText(text, { exact: true });
    default: return frame.locator(locator.value);
  }
}

const none = {}; // that there is no element

// What commands do. Those that only look are asked again, and tell what they were answered.
const value = (result) => result?.value ?? null;
const reads = {
  textContent: 'text', innerText: 'text', innerHTML: 'property innerHTML', getAttribute: 'attribute', inputValue: 'property value',
  isChecked: 'property checked', isVisible: 'displayed', isHidden: 'hidden', isEnabled: 'enabled', isDisabled: 'disabled',
  isEditable: 'editable', title: 'title', queryCount: 'property children',
};
const finds = {
  querySelectorAll: ['find all', (result) => result.elements.length],
  querySelector: ['find', (result) => (result.element ? 'an element' : none)],
};
const acts = {
  goto: 'open', reload: 'reload', goBack: 'go back', goForward: 'go forward', setContent: 'open', click: 'click', dblclick: 'double-click',
  tap: 'tap', hover: 'hover over', fill: 'fill', type: 'type into', press: 'press a key in', check: 'check', uncheck: 'uncheck',
  focus: 'focus', blur: 'blur', dragAndDrop: 'drag', selectOption: 'run a script: select in', selectText: 'run a script: select the text of',
  setInputFiles: 'run a script: set the files of', dispatchEvent: 'run a script: dispatch an event to',
  keyboardDown: 'press a key', keyboardUp: 'release a key', keyboardInsertText: 'type', keyboardType: 'type', keyboardPress: 'press a key',
  mouseMove: 'move the mouse', mouseDown: 'press the mouse', mouseUp: 'release the mouse', mouseClick: 'click', mouseWheel: 'scroll',
  touchscreenTap: 'tap',
};
const evaluates = ['evaluateExpression', 'evaluateExpressionHandle', 'evalOnSelector', 'evalOnSelectorAll'];

// commandOf says what a command is for flaketap: which of those it is, and how its answer is told; undefined where it
// is none about a page.
function commandOf(object, method, params, name) {
  if (object._type === 'Dialog') {
    return { command: { kind: 'acts', does: `${method} the dialog` }, once: true };
  }
  if (!['Frame', 'Page', 'ElementHandle'].includes(object._type)) return undefined;
  const found = foundBy(object, params.selector, name);
  const about = found.map((l) => l.value).reverse().join(' in ');
  const of = about && ` of ${about}`;
  if (Object.hasOwn(finds, method)) {
    const [does, answerOf] = finds[method];
    const one = method === 'querySelector' && object._type === 'Frame' && params;
    return { command: { kind: 'reads', does: `${does} ${about}`, found: found.slice(0, -1), by: found.at(-1) }, answerOf, about: one };
  }
  if (Object.hasOwn(reads, method)) {
    const what = method === 'getAttribute' ? `attribute ${params.name}` : reads[method];
    const secret = /^(attribute|property) value$/.test(what) && { selector: params.selector, strict: params.strict };
    const one = method !== 'queryCount' && method !== 'title' && object._type === 'Frame' && params;
    return { command: { kind: 'reads', does: what + of, found, reads: what }, answerOf: value, secret, about: one };
  }
  if (method === 'expect' || /^waitFor(Selector|Function|ElementState)$/.test(method)) { // these wait by themselves
    return { command: { kind: 'reads', does: (method === 'expect' ? `expect ${params.expression}` : 'wait') + of, found, reads: 'state' }, once: true };
  }
  if (evaluates.includes(method)) {
    const what = /\.all(Text|Inner)/.test(name) ? 'all texts' : 'look at what a script says'; // allTextContents, allInnerTexts
    return harmless(params.expression) && !method.endsWith('Handle')
      ? { command: { kind: 'reads', does: what + of, found, reads: 'text' }, answerOf: (r) => plain(r.value) }
      : { command: { kind: 'acts', does: `run a script${about && ` on ${about}`}`, found } };
  }
  return Object.hasOwn(acts, method) ? { command: { kind: 'acts', does: `${acts[method]} ${about}`.trim(), found } } : undefined;
}

// foundBy is how the element of a command is found, in Playwright's words: from a page, from a locator of the suite's own,
// or from an element that the suite holds.
function foundBy(object, selector, name) {
  const from = object._type === 'ElementHandle' ? [{ using: 'playwright handle', value: 'an element' }] : [];
  if (selector === undefined) return from;
  const using = String(name).startsWith('locator.') ? 'playwright locator' : 'playwright';
  return [...from, { using, value: String(object.locator?.(selector) ?? selector).slice(0, 2000) }];
}

// harmless reports whether a script of the suite can only look: it calls nothing but what is known to, and sets nothing.
const looks = new Set(['map', 'filter', 'find', 'some', 'every', 'slice', 'trim', 'join', 'includes', 'startsWith', 'endsWith', 'split',
  'toLowerCase', 'toUpperCase', 'querySelector', 'querySelectorAll', 'getElementById', 'closest', 'matches', 'getAttribute', 'hasAttribute',
  'contains', 'from', 'String', 'Number', 'getBoundingClientRect', 'getComputedStyle']);
function harmless(script) {
  if (typeof script !== 'string' || script.length > 2000) return false;
  const bare = script.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, '""');
  if (/[`/]|\+\+|--|[^=!<>]=[^=>]|[)\]]\s*\(|\?\.\(|\[\s*""|\b(?:await|new|delete|yield|throw|import|function|class|value|location|document\.cookie)\b/.test(bare)) {
    return false;
  }
  return [...bare.matchAll(/([\w$]+)\s*\(/g)].every(([, name]) => looks.has(name));
}

// plain is a value of Playwright's protocol as JSON has it; undefined where JSON has no such value.
function plain(v, depth = 0) {
  if (!v || depth > 20) return undefined;
  if ('s' in v || 'n' in v || 'b' in v) return v.s ?? v.n ?? v.b;
  if (v.a) return v.a.map((e) => plain(e, depth + 1) ?? null);
  if (v.o) return Object.fromEntries(v.o.map(({ k, v: e }) => [k, plain(e, depth + 1) ?? null]));
  return v.v === 'null' || v.v === 'undefined' ? null : undefined;
}
