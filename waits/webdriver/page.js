// Runs in every document before its own scripts, and tells flaketap of what changes in it: properties of elements, and
// timers under way. It is given what it speaks by, which no script of the page sees; it asks for nothing, and keeps nothing but what it told of.
// docs/waits.md says what of it a page could see.
(send) => {
  'use strict';
  const now = () => performance.timeOrigin + performance.now();
  const tell = (message) => send(JSON.stringify(message));

  // direct is true while what a user's input brings about is run, up to the next task.
  let direct = false;
  const task = new MessageChannel();
  task.port1.onmessage = () => {
    direct = false;
  };
  for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'keydown', 'keyup', 'input', 'change', 'submit', 'focusin', 'focusout']) {
    addEventListener(type, (event) => {
      if (!event.isTrusted) return;
      direct = true;
      task.port2.postMessage(0);
    }, { capture: true, passive: true });
  }

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

  // changed tells of the properties of elements, each with what it was before: [element, property, old, new]. What its
  // old value is not known by is not told where it is as it was.
  function changed(list) {
    if (document.readyState === 'loading') return; // whoever waits for a page waits for that
    const later = !direct && document.readyState === 'complete';
    const at = now();
    const told = list.filter(([, , before, after]) => before !== after);
    if (told.length > 0) {
      const changes = told.slice(0, most).map(([element, property, before, after]) => {
        const css = selector(element);
        if (element.isConnected && named.size < 200) named.set(element, css);
        return { element: css, property, old: short(before), new: short(after), at, later, visible: seen(element) };
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

  // Timers under way: those that run once, soon, and are not set by two others before them, as a ticker's are.
  let depth = 0;
  const waiting = new Set();
  const count = (change) => {
    const before = waiting.size;
    change();
    if ((before === 0) !== (waiting.size === 0)) tell({ timers: waiting.size });
  };
  const start = globalThis.setTimeout;
  const stop = globalThis.clearTimeout;
  replace(globalThis, 'setTimeout', function setTimeout(run, time, ...args) {
    if (typeof run !== 'function' || !(Number(time ?? 0) <= 5000) || depth > 2) return start.call(this, run, time, ...args);
    const level = depth + 1;
    const id = start.call(this, function (...given) {
      const outer = depth;
      depth = level;
      try {
        return run.apply(this, given);
      } finally {
        depth = outer;
        count(() => waiting.delete(id));
      }
    }, time, ...args);
    count(() => waiting.add(id));
    return id;
  });
  addEventListener('pagehide', () => tell({ timers: 0 })); // they end with the document
  replace(globalThis, 'clearTimeout', function clearTimeout(id) {
    count(() => waiting.delete(id));
    return stop.call(this, id);
  });

  function replace(object, name, by) {
    Object.defineProperty(by, 'length', { value: object[name].length, configurable: true });
    Object.defineProperty(object, name, { ...Object.getOwnPropertyDescriptor(object, name), value: by });
  }
}
