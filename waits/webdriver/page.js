// Runs in every document before its own scripts, and tells flaketap of what changes in it: properties of elements, and
// timers under way. It is given what it speaks by, which no script of the page sees; it asks for nothing, and keeps nothing but what it told of.
// docs/waits.md says what of it a page could see.
(send) => {
  'use strict';
  const now = () => performance.timeOrigin + performance.now();
  const tell = (message) => send(JSON.stringify(message));

  // direct is true while what a user's input brings about is run, up to the next task.
  let direct = false;
  let touched = false; // a user has done something here
  const task = new MessageChannel();
  task.port1.onmessage = () => {
    direct = false;
  };
  for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'keydown', 'keyup', 'input', 'change', 'submit', 'focusin', 'focusout']) {
    addEventListener(type, (event) => {
      if (!event.isTrusted) return;
      direct = touched = true;
      task.port2.postMessage(0);
    }, { capture: true, passive: true });
  }

  // running is the timer that what runs now comes from: how many set each other before it, whether it ticks, and when the
  // first of them was set, where no user had done anything here.
  const none = { depth: 0, ticks: false, since: 0 };
  let running = none;

  const most = 50; // changes that are told at once
  const short = (value) => String(value ?? '').slice(0, 200);
  const text = (element) => short(element.childNodes.length > 20 ? '' : element.textContent).trim();
  const quoted = (value) => `"${CSS.escape(value)}"`;

  // selector names an element by what of it is likely to last.
  function selector(element, depth = 0) {
    const root = element.getRootNode();
    const only = (css) => root.querySelectorAll(css).length === 1;
    const within = (css) => (root instanceof ShadowRoot && depth < 8 ? `${selector(root.host, depth + 1)} >>> ${css}` : css);
    const steps = [];
    for (let e = element; e instanceof Element && steps.length < 20; e = e.parentElement) {
      const tag = e.localName;
      const names = [e.id && `#${CSS.escape(e.id)}`];
      for (const name of ['data-testid', 'data-test', 'data-cy', 'name', 'role', 'aria-label']) {
        if (e.hasAttribute(name)) names.push(`${tag}[${name}=${quoted(e.getAttribute(name))}]`);
      }
      const found = names.find((css) => css && only(css));
      if (found || tag === 'body' || tag === 'html') {
        steps.unshift(found || tag);
        break;
      }
      let nth = 1;
      for (let s = e.previousElementSibling; s; s = s.previousElementSibling) if (s.localName === tag) nth++;
      steps.unshift(`${tag}:nth-of-type(${nth})`);
    }
    return within(steps.join(' > '));
  }

  function seen(element) {
    return element.isConnected && !element.closest('head') && (!element.checkVisibility || element.checkVisibility());
  }

  // named are elements that were told of, by what they were called then: once one is removed, nothing names it.
  const named = new Map();

  function removed() {
    const gone = [...named].filter(([element]) => !element.isConnected);
    for (const [element] of gone) named.delete(element);
    if (gone.length > 0) {
      const at = now();
      tell({ changes: gone.map(([, css]) => ({ element: css, property: 'gone', old: '', new: 'gone', at, later: !direct, visible: false })), dropped: 0 });
    }
  }

  // cause is what a change comes from that nobody at the page asked for, as far as that is known: a ticker from before a user
  // did anything here, or a message of a socket, whose handler is still the one under way when its changes are told of.
  const current = Object.getOwnPropertyDescriptor(globalThis, 'event')?.get;
  const sockets = [globalThis.WebSocket, globalThis.EventSource].filter(Boolean);
  function cause() {
    if (running.ticks) return running.since ? { cause: 'timer', since: running.since } : {};
    const target = current?.call(globalThis)?.target;
    return sockets.some((type) => target instanceof type) ? { cause: 'socket' } : {};
  }

  // plain reports whether an attribute is known to show nowhere: HTML gives it no meaning, and no rule of style speaks of it.
  let shadows = false; // a shadow tree has rules of its own
  let rules = 0; // how many style sheets had when they were read
  let said = ''; // all that they say; undefined where that is too much
  let reads = 20; // how often they are read yet, as that takes long
  const within = (rule) => (rule.styleSheet ?? rule).cssRules ?? [];
  const textOf = (list) => [...list].map((rule) => rule.cssText + (rule.styleSheet ? textOf(within(rule)) : '')).join('\n');
  const tooMany = 2000;
  function sizeOf(list, size = 0) {
    for (const rule of list) {
      if (size > tooMany) break;
      size = sizeOf(within(rule), size + 1);
    }
    return size;
  }
  function plain(element, name) {
    if (shadows || !/^(?!aria-)[a-z][a-z0-9_]*-[a-z0-9_-]+$/.test(name) || !(element instanceof HTMLElement) || element.shadowRoot || element.parentElement?.shadowRoot) return false;
    try {
      const lists = [...document.styleSheets, ...document.adoptedStyleSheets].map((sheet) => sheet.cssRules);
      const count = lists.reduce((sum, list) => sum + list.length, 0);
      if (count !== rules) {
        if (reads === 0) return false;
        reads--;
        const size = lists.reduce((sum, list) => sizeOf(list, sum), 0);
        said = size > tooMany ? undefined : lists.map(textOf).join('\n').toLowerCase();
        rules = count;
      }
      return said !== undefined && !said.includes(name);
    } catch { // the rules of another origin are not to be read
      return false;
    }
  }

  // changed tells of the properties of elements, each with what it was before: [element, property, old, new]. What its
  // old value is not known by is not told where it is as it was.
  function changed(list) {
    if (document.readyState === 'loading') return; // whoever waits for a page waits for that
    const later = !direct && document.readyState === 'complete';
    const at = now();
    const from = cause();
    const told = list.filter(([, , before, after]) => before !== after);
    if (told.length > 0) {
      const changes = told.slice(0, most).map(([element, property, before, after]) => {
        const css = selector(element);
        if (element.isConnected && named.size < 200) named.set(element, css);
        const shows = property[0] !== '@' || !plain(element, property.slice(1));
        return { element: css, property, old: short(before), new: short(after), at, later, visible: seen(element), plain: !shows, ...from };
      });
      tell({ changes, dropped: told.length - changes.length });
    }
  }

  const secret = (element) => element.type === 'password';

  function observed(records) {
    const byElement = new Map();
    const note = (element, property, before, after) => {
      const known = byElement.get(element) ?? byElement.set(element, new Map()).get(element);
      known.set(property, [known.has(property) ? known.get(property)[0] : before, after]);
    };
    const texts = (nodes) => short([...nodes].slice(0, 20).map((n) => n.textContent).join('')).trim();
    const elements = (nodes) => [...nodes].filter((n) => n.nodeType === 1).length;
    for (const r of records) {
      const element = r.target.nodeType === 1 ? r.target : r.target.parentElement ?? r.target.host;
      // chromedriver marks frames for itself.
      if (!element || element.closest('script, style') || r.attributeName === 'cd_frame_id_') continue;
      if (r.type === 'attributes') {
        if (r.attributeName !== 'value' || !secret(element)) {
          note(element, `@${r.attributeName}`, r.oldValue ?? '', element.getAttribute(r.attributeName) ?? '');
        }
      } else if (r.type === 'characterData') {
        note(element, 'text', short(r.oldValue).trim(), text(element));
      } else {
        const added = elements(r.addedNodes);
        const removed = elements(r.removedNodes);
        const count = element.childElementCount;
        if (added || removed) note(element, 'children', String(count - added + removed), String(count));
        if (texts(r.addedNodes) || texts(r.removedNodes)) note(element, 'text', texts(r.removedNodes), text(element));
      }
    }
    changed([...byElement].flatMap(([element, known]) => [...known].map(([property, [before, after]]) => [element, property, before, after])));
    removed();
  }

  const observer = new MutationObserver(observed);
  const watch = (root) => observer.observe(root,
    { subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true, characterDataOldValue: true });
  watch(document);
  // A window that a page opens, or a frame, is empty at first, and its document may have the same global object: then no script runs anew.
  let watched = document;
  addEventListener('DOMContentLoaded', () => {
    if (watched !== document) watch(document);
    watched = document;
  }, true);

  // A shadow root is no part of its document's tree.
  const attach = Element.prototype.attachShadow;
  replace(Element.prototype, 'attachShadow', function attachShadow(...args) {
    const root = attach.apply(this, args);
    watch(root);
    shadows = true;
    changed([[this, 'shadow', '', 'attached']]);
    return root;
  });

  // What a script sets of an input is no mutation.
  const state = [[HTMLInputElement, 'value'], [HTMLInputElement, 'checked'], [HTMLTextAreaElement, 'value'], [HTMLSelectElement, 'value'], [HTMLSelectElement, 'selectedIndex']];
  for (const [type, name] of state) {
    const property = Object.getOwnPropertyDescriptor(type.prototype, name);
    const set = { [name]: property.set };
    Object.defineProperty(type.prototype, name, {
      ...property,
      set: Object.defineProperty(function (value) {
        const before = property.get.call(this);
        set[name].call(this, value);
        if (!secret(this)) changed([[this, name, String(before), String(property.get.call(this))]]);
      }, 'name', { value: `set ${name}` }),
    });
  }

  // during has a timer run, and tells of what it changed before anything else runs: what it waits for in between is not its own then.
  const during = (timer, run) => function (...given) {
    const outer = running;
    running = timer;
    try {
      return run.apply(this, given);
    } finally {
      try {
        const records = observer.takeRecords();
        if (records.length > 0) observed(records);
      } finally { // a page may have a form whose inputs stand in the place of its methods
        running = outer;
        timer.done?.();
      }
    }
  };
  // timerAt is one that is set now. It goes back to when that was set which sets it, where a timer does.
  const timerAt = (depth, ticks) => ({ depth, ticks: ticks || running.ticks, since: running !== none ? running.since : touched ? 0 : now() });

  // Timers under way: those that run once, soon, and are not set by two others before them, as a ticker's are.
  const waiting = new Set();
  const count = (change) => {
    const before = waiting.size;
    change();
    if ((before === 0) !== (waiting.size === 0)) tell({ timers: waiting.size });
  };
  const start = globalThis.setTimeout;
  const repeat = globalThis.setInterval;
  replace(globalThis, 'setTimeout', function setTimeout(run, time, ...args) {
    if (typeof run !== 'function') return start.call(this, run, time, ...args);
    const timer = timerAt(running.depth + 1, running.depth > 2);
    const id = start.call(this, during(timer, run), time, ...args);
    if (timer.depth <= 3 && Number(time ?? 0) <= 5000) {
      timer.done = () => count(() => waiting.delete(id));
      count(() => waiting.add(id));
    }
    return id;
  });
  replace(globalThis, 'setInterval', function setInterval(run, time, ...args) {
    return repeat.call(this, typeof run === 'function' ? during(timerAt(0, true), run) : run, time, ...args);
  });
  addEventListener('pagehide', () => tell({ timers: 0 })); // they end with the document
  for (const name of ['clearTimeout', 'clearInterval']) { // each ends both kinds
    const stop = globalThis[name];
    replace(globalThis, name, { [name](id) {
      count(() => waiting.delete(Number(id)));
      return stop.call(this, id);
    } }[name]);
  }

  function replace(object, name, by) {
    Object.defineProperty(by, 'length', { value: object[name].length, configurable: true });
    Object.defineProperty(object, name, { ...Object.getOwnPropertyDescriptor(object, name), value: by });
  }
}
