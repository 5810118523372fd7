'use strict';
// Tells flaketap which fields an API reads of what its services answer. Only texts of JSON that bear a mark are looked
// at: sixteen blanks and tabs behind the first bracket, which are the number of the call.

const fs = require('node:fs');

const file = process.env.FLAKETAP_READS;
if (file) install();

function install() {
  const { openSync, writeSync, closeSync, constants } = fs;
  const mostReads = 500; // of one answer
  const mostObjects = 5000;
  const mostDepth = 32;
  const mostName = 200;
  const marked = /^\s*[[{]([ \t]{16})/;
  const kinds = new Map(Object.entries({ // by the methods that it is asked for in vain; '' where several have it
    list: ['map', 'forEach', 'filter', 'find', 'some', 'every', 'reduce', 'flatMap', 'join', 'findIndex'],
    string: ['toUpperCase', 'toLowerCase', 'trim', 'startsWith', 'endsWith', 'split', 'charAt', 'localeCompare', 'padStart'],
    number: ['toFixed', 'toPrecision'],
    '': ['length', 'slice', 'includes', 'indexOf', 'concat', 'push', 'sort', 'replace'],
  }).flatMap(([kind, names]) => names.map((name) => [name, kind])));
  for (const [kind, type] of [['list', Array], ['string', String], ['number', Number]]) { // their others that no field is called
    for (const name of Object.getOwnPropertyNames(type.prototype)) {
      if (/[A-Z]/.test(name) && !(name in Object.prototype)) kinds.set(name, kinds.has(name) && kinds.get(name) !== kind ? '' : kind);
    }
  }
  kinds.set('substring', 'string').set('splice', 'list');
  const ofOthers = new Set(['toJSON', 'then', 'inspect', 'nodeType', '$$typeof', 'asymmetricMatch']); // who looks at any object
  const targets = new WeakMap(); // of the proxies
  const sources = new WeakMap(); // the answer and the path of each
  const written = new Map(); // the texts of proxies that were written as JSON, with their answers and paths
  const mostWritten = 64;
  const mostLength = 100_000;

  /** One answer: its mark, and what was told of it. */
  class Answer {
    constructor(mark) {
      this.mark = mark;
      this.told = new Set();
      this.objects = 0;
    }

    tell(path, kind) {
      const line = `${JSON.stringify({ mark: this.mark, path, kind })}\n`;
      if (this.told.size >= mostReads || this.told.has(line)) return;
      this.told.add(line);
      let fd; // it is not kept open: a process that becomes a daemon closes what it does not know
      try {
        fd = openSync(file, constants.O_WRONLY | constants.O_APPEND);
        writeSync(fd, line);
      } catch {
        // whom it is told to has gone
      } finally {
        if (fd !== undefined) closeSync(fd);
      }
    }

    /** The value with what tells the reads of its objects in their place, those within first: a frozen one has them. */
    watch(value, path) {
      if (value === null || typeof value !== 'object' || path.length > mostDepth || this.objects >= mostObjects) return value;
      if (Array.isArray(value)) {
        value.forEach((one, i) => { value[i] = this.watch(one, [...path, 0]); });
        return value;
      }
      if (Object.getPrototypeOf(value) !== Object.prototype) return value; // what a reviver has made
      this.objects++;
      for (const name of Object.keys(value)) {
        if (name !== '__proto__') value[name] = this.watch(value[name], [...path, name]);
      }
      const proxy = new Proxy(value, this.traps(path));
      targets.set(proxy, value);
      sources.set(proxy, { answer: this, path });
      return proxy;
    }

    traps(path) {
      const answer = this;
      let listed = false; // then what is there is read one by one, by JSON.stringify and the like
      const read = (target, name) => {
        if (typeof name === 'symbol') {
          if (name === Symbol.iterator) answer.tell(path, 'list');
          return;
        }
        const there = Object.hasOwn(target, name);
        if (there ? listed : name in Object.prototype || ofOthers.has(name) || name.length > mostName) return;
        const kind = there ? undefined : /^\d+$/.test(name) ? 'list' : kinds.get(name);
        if (kind) answer.tell(path, kind);
        else if (kind === undefined) answer.tell([...path, name]);
      };
      return {
        get(target, name, receiver) {
          read(target, name);
          return Reflect.get(target, name, receiver);
        },
        has(target, name) {
          read(target, name);
          return Reflect.has(target, name);
        },
        getOwnPropertyDescriptor(target, name) {
          if (!Object.hasOwn(target, name)) read(target, name);
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
        ownKeys(target) {
          listed = true;
          return Reflect.ownKeys(target);
        },
      };
    }
  }

  const { parse, stringify } = JSON;
  // What is read of a text that a proxy was written as is of what the proxy stands for.
  JSON.stringify = {
    stringify(value, replacer, space) {
      const text = stringify(value, replacer, space);
      const source = value !== null && typeof value === 'object' && sources.get(value);
      if (source && text?.length <= mostLength) {
        written.set(text, source);
        if (written.size > mostWritten) written.delete(written.keys().next().value);
      }
      return text;
    },
  }.stringify;
  JSON.parse = {
    parse(text, reviver) {
      const value = parse(text, reviver);
      const mark = value !== null && typeof value === 'object' && marked.exec(text);
      if (!mark) {
        const source = written.get(text);
        written.delete(text);
        return source && value !== null ? source.answer.watch(value, source.path) : value;
      }
      const bits = [...mark[1]].map((c) => (c === '\t' ? '1' : '0')).join('');
      const answer = new Answer(Number.parseInt(bits, 2));
      answer.tell([]); // it was read as a whole
      return answer.watch(value, []);
    },
  }.parse;

  /** The value without proxies: they cannot be copied as structures are. */
  function bare(value, seen = new Map()) {
    if (value === null || typeof value !== 'object') return value;
    if (seen.has(value)) return seen.get(value);
    const target = targets.get(value) ?? value;
    let copy;
    if (Array.isArray(target)) {
      seen.set(value, copy = []);
      target.forEach((one, i) => { copy[i] = bare(one, seen); });
    } else if (target instanceof Map) {
      seen.set(value, copy = new Map());
      target.forEach((one, key) => copy.set(bare(key, seen), bare(one, seen)));
    } else if (target instanceof Set) {
      seen.set(value, copy = new Set());
      target.forEach((one) => copy.add(bare(one, seen)));
    } else if ([Object.prototype, null].includes(Object.getPrototypeOf(target))) {
      seen.set(value, copy = {});
      for (const name of Object.keys(target)) {
        Object.defineProperty(copy, name, { value: bare(target[name], seen), configurable: true, enumerable: true, writable: true });
      }
    } else {
      return target;
    }
    return copy;
  }

  /** Has a function that copies structures take what holds proxies, too. */
  function copies(owner, name) {
    const original = owner?.[name];
    if (typeof original !== 'function') return;
    owner[name] = {
      [name](value, ...rest) {
        try {
          return original.call(this, value, ...rest);
        } catch (err) {
          if (err?.name !== 'DataCloneError' && !/could not be cloned/.test(err?.message)) throw err;
          return original.call(this, bare(value), ...rest);
        }
      },
    }[name];
  }

  const threads = require('node:worker_threads');
  copies(globalThis, 'structuredClone');
  copies(threads.MessagePort.prototype, 'postMessage');
  copies(threads.Worker.prototype, 'postMessage');
  copies(threads.BroadcastChannel.prototype, 'postMessage');
  copies(require('node:v8'), 'serialize');
}
