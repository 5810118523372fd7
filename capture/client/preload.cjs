'use strict';
// Makes http, https and fetch go by the proxy of HTTP_PROXY and HTTPS_PROXY, all of it through CONNECT: what a program
// sends and is answered stays as it is without a proxy, and a refused connection is one. flaketap record sets NODE_OPTIONS
// so that the clients it starts load this before all else.
const http = require('http');
const https = require('https');
const net = require('net');
const tls = require('tls');

// Where a program has told Node to do so by itself, and its Node can, it is left to it.
if (process.env.NODE_USE_ENV_PROXY !== '1' || !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
  go('HTTP_PROXY', http, false);
  go('HTTPS_PROXY', https, true);
  dispatch();
}

// proxyFor returns the proxy for a host, or null: there is none, NO_PROXY names the host, or it is the proxy itself,
// which clients speak to that heed the variables.
function proxyFor(variable, host, port) {
  let proxy;
  try {
    proxy = new URL(process.env[variable]);
  } catch {
    return null;
  }
  const known = (process.env.NO_PROXY || '').toLowerCase().split(/[\s,]+/).filter(Boolean);
  const name = String(host).toLowerCase();
  const skip = known.some((n) => n === '*' || n === name || n === `${name}:${port}` || name.endsWith(n.replace(/^\*?\.?/, '.')));
  const itself = Number(proxy.port) === Number(port) && proxy.hostname.replace(/[[\]]/g, '') === name;
  return skip || itself || proxy.protocol !== 'http:' ? null : proxy;
}

// tunnel has the proxy connect to a host, and calls back with the socket that leads there.
function tunnel(proxy, host, port, options, done) {
  const to = net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  const socket = net.connect({ host: proxy.hostname.replace(/[[\]]/g, ''), port: Number(proxy.port) || 80 });
  let head = Buffer.alloc(0);
  const over = (err) => {
    socket.off('error', over).off('close', closed).off('readable', read);
    if (err) {
      socket.destroy();
      done(err);
      return;
    }
    done(null, socket);
  };
  const refused = (text, code) => over(Object.assign(new Error(text), { code, syscall: 'connect', address: host, port: Number(port) }));
  const closed = () => refused(`the connection to ${to} was closed`, 'ECONNRESET');
  const read = () => { // not 'data', which would leave a paused stream to whom the socket goes
    for (let chunk; (chunk = socket.read()) !== null; ) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length < 65536) continue;
      if (!/^HTTP\/1\.[01] 2\d\d /.test(head.toString('latin1', 0, 16))) {
        refused(`connect ECONNREFUSED ${to}: the proxy says ${head.toString('latin1').split('\r\n')[0]}`, 'ECONNREFUSED');
        return;
      }
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      over(null);
      return;
    }
  };
  socket.on('error', over).on('close', closed).on('readable', read);
  socket.setNoDelay(true);
  if (options.keepAlive) socket.setKeepAlive(true, options.keepAliveInitialDelay);
  let lines = `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n`;
  if (proxy.username || proxy.password) {
    const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    lines += `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  }
  socket.write(`${lines}\r\n`);
}

// go makes the agents of a module, those that a program makes too, connect through the proxy.
function go(variable, module, secure) {
  const direct = module.Agent.prototype.createConnection;
  module.Agent.prototype.createConnection = function createConnection(options, done) {
    const connect = (...args) => direct.apply(this, args);
    if (!options || typeof options !== 'object' || typeof done !== 'function' || options.socketPath || options.socket) {
      return connect(options, done);
    }
    const host = options.host || 'localhost';
    const port = options.port || (secure ? 443 : 80);
    const proxy = proxyFor(variable, host, port);
    if (!proxy) return connect(options, done);
    tunnel(proxy, host, port, options, (err, socket) => {
      if (err) {
        done(err);
        return;
      }
      if (options.timeout) socket.setTimeout(options.timeout);
      done(null, secure ? connect({ ...options, socket }) : socket);
    });
    return undefined;
  };
}

// dispatch gives fetch, when it is first called, an agent of the kind that it has, which connects through the proxy.
// Where there is one already by then, somebody has chosen it.
function dispatch() {
  const property = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  if (!property || typeof property.value !== 'function') return;
  const direct = property.value;
  let ready = false;
  const fetch = function fetch(input, init = undefined) {
    const name = Symbol.for('undici.globalDispatcher.1');
    if (!ready && !globalThis[name]) {
      void globalThis.Response; // loads what is behind fetch
      const agent = globalThis[name];
      if (agent && agent.constructor.name === 'Agent') globalThis[name] = new agent.constructor({ connect });
    }
    ready = true;
    return direct.call(this, input, init);
  };
  Object.defineProperty(globalThis, 'fetch', { ...property, value: fetch });
}

// connect makes a connection as fetch's own agent does, through the proxy.
function connect(options, done) {
  const secure = options.protocol === 'https:';
  const host = options.hostname.replace(/[[\]]/g, '');
  const port = Number(options.port) || (secure ? 443 : 80);
  const finish = (socket, ready) => {
    socket.setKeepAlive(true, 60000);
    const failed = (err) => done(err);
    socket.once('error', failed);
    socket.once(ready, () => {
      socket.off('error', failed);
      done(null, socket);
    });
  };
  const upgrade = (socket) => {
    const servername = options.servername || (net.isIP(host) ? '' : host);
    finish(tls.connect({ socket, host, port, servername, ALPNProtocols: ['http/1.1'] }), 'secureConnect');
  };
  const proxy = proxyFor(secure ? 'HTTPS_PROXY' : 'HTTP_PROXY', host, port);
  if (!proxy) {
    const socket = net.connect({ host, port, noDelay: true });
    if (secure) upgrade(socket);
    else finish(socket, 'connect');
    return;
  }
  tunnel(proxy, host, port, {}, (err, socket) => {
    if (err) done(err);
    else if (secure) upgrade(socket);
    else done(null, socket);
  });
}
