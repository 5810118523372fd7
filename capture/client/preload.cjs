'use strict';
// Makes the HTTP clients of a Node program go by the proxy of HTTP_PROXY and HTTPS_PROXY, all of it through CONNECT: what
// a program sends and is answered stays as it is without a proxy, and a refused connection is one. flaketap record sets
// NODE_OPTIONS so that the clients it starts load this before all else, in every process and every worker thread.
//
//  1. HTTP clients say that they connect (clients): the agents of http and https, requests that make a connection of
//     their own, http2, and undici, which is also what is behind fetch. undici says so on a diagnostics channel,
//     whichever copy of it was loaded, and when: nothing has to be replaced before a program takes hold of it.
//  2. While one of them connects, net.connect and tls.connect give it a socket that is connected once the proxy has
//     connected it to the host (connections). All else that connects, such as the driver of a database, is left alone.
const channels = require('diagnostics_channel');
const http = require('http');
const http2 = require('http2');
const https = require('https');
const module_ = require('module');
const net = require('net');
const tls = require('tls');

// connecting is the HTTP client that connects in this very call: whether it uses TLS, and where to, if that is known.
let connecting = null;

const unpatched = net.connect;
const undici = channels.channel('undici:client:beforeConnect'); // held here, for Node forgets channels that nobody holds

// Where a program has told Node to do so by itself, and its Node can, what Node can is left to it.
if (process.env.NODE_USE_ENV_PROXY !== '1' || !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
  connections();
  clients();
  module_.syncBuiltinESMExports();
}

// clients has HTTP clients say when they connect.
function clients() {
  for (const [module, secure] of [[http, false], [https, true]]) {
    const direct = module.Agent.prototype.createConnection;
    module.Agent.prototype.createConnection = function createConnection(...args) {
      const connect = direct === unpatched ? net.createConnection : direct; // http has taken its own before this was loaded
      return as({ secure }, () => connect.apply(this, args));
    };
    for (const name of ['request', 'get']) {
      const request = module[name];
      module[name] = function (...args) {
        return request.apply(this, args.map((arg) => ownConnection(arg, secure)));
      };
      Object.defineProperty(module[name], 'name', { value: name });
    }
  }
  const session = http2.connect;
  http2.connect = function connect(authority, ...rest) {
    return as({ secure: /^https:/i.test(String(authority?.protocol ?? authority)) }, () => session.call(this, authority, ...rest));
  };
  undici.subscribe(({ connectParams }) => {
    const { hostname, port, protocol } = connectParams;
    const secure = protocol === 'https:';
    const client = { secure, host: bare(hostname), port: Number(port) || (secure ? 443 : 80) };
    connecting = client;
    // It connects before it returns to its caller; whoever connects after that is somebody else.
    queueMicrotask(() => {
      if (connecting === client) connecting = null;
    });
  });
}

// as connects as an HTTP client.
function as(client, connect) {
  const before = connecting;
  connecting = client;
  try {
    return connect();
  } finally {
    connecting = before;
  }
}

// ownConnection is one of the arguments of a request; of options that bring a way to connect, this connects as an HTTP
// client.
function ownConnection(arg, secure) {
  const own = arg && typeof arg === 'object' && arg.createConnection;
  if (typeof own !== 'function') return arg;
  return {
    ...arg,
    createConnection(...args) {
      return as({ secure }, () => own.apply(this, args));
    },
  };
}

// connections has net.connect and tls.connect go through the proxy where an HTTP client connects.
function connections() {
  net.connect = net.createConnection = function connect(...args) {
    const [options, connected] = net._normalizeArgs(args);
    const proxy = proxyOf(options, connecting);
    if (!proxy) return unpatched.apply(this, args);
    const socket = new net.Socket(options);
    if (options.timeout) socket.setTimeout(options.timeout);
    if (connected) socket.once('connect', connected);
    tunnel(socket, proxy, options.host || 'localhost', options.port);
    return socket;
  };
  const direct = tls.connect;
  tls.connect = function connect(...args) {
    const [options, connected] = net._normalizeArgs(args);
    Object.assign(options, args.slice(1).find((arg) => arg && typeof arg === 'object'));
    // Whoever offers to speak HTTP is an HTTP client too.
    const speaks = [].concat(options.ALPNProtocols ?? []).some((name) => name === 'h2' || name === 'http/1.1');
    const proxy = proxyOf(options, connecting || (speaks ? { secure: true } : null));
    if (!proxy) return direct.apply(this, args);
    const socket = new net.Socket({ ...options, signal: undefined });
    const secured = direct.call(this, { ...options, socket }, connected);
    socket.once('error', (err) => secured.destroy(err));
    for (const name of ['ref', 'unref', 'setKeepAlive', 'setNoDelay']) { // a mere stream has none of these
      secured[name] = (...args) => {
        socket[name](...args);
        return tls.TLSSocket.prototype[name].apply(secured, args);
      };
    }
    if (options.timeout) secured.setTimeout(options.timeout);
    // TLS must not see what is said to the proxy: it takes a socket that is not connected yet for a mere stream.
    tunnel(socket, proxy, options.host || 'localhost', options.port);
    return secured;
  };
}

// proxyOf returns the proxy for a connection of a client, or null: it is no client, a socket is there already, NO_PROXY
// names the host, or it is the proxy itself, with which clients speak that heed the variables.
function proxyOf(options, client) {
  if (!client || options.path || options.socket || options.onread) return null;
  const host = bare(options.host || 'localhost');
  const port = Number(options.port);
  if (client.host !== undefined && (client.host !== host || client.port !== port)) return null;
  let proxy;
  try {
    proxy = new URL(process.env[client.secure ? 'HTTPS_PROXY' : 'HTTP_PROXY']);
  } catch {
    return null;
  }
  const known = (process.env.NO_PROXY || '').toLowerCase().split(/[\s,]+/).filter(Boolean);
  const skip = known.some((n) => n === '*' || n === host || n === `${host}:${port}` || host.endsWith(n.replace(/^\*?\.?/, '.')));
  const itself = (Number(proxy.port) || 80) === port && bare(proxy.hostname) === host;
  return skip || itself || proxy.protocol !== 'http:' ? null : proxy;
}

// bare returns a host without the brackets of IPv6, in lower case.
function bare(host) {
  return String(host).replace(/^\[|\]$/g, '').toLowerCase();
}

// tunnel connects a socket to the proxy, and has that connect it to a host. Only then is the socket connected for those
// who hold it: they have not seen what was said to the proxy, and what they have written waits.
function tunnel(socket, proxy, host, port) {
  const to = net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  let head = Buffer.alloc(0);
  const end = () => {
    delete socket.emit; // and with it comes back that of all sockets
    delete socket.push;
  };
  const refuse = (message, code) => {
    end();
    socket.destroy(Object.assign(new Error(message), { code, syscall: 'connect', address: host, port: Number(port) }));
  };
  socket.emit = function (event, ...args) {
    if (event === 'ready') return true;
    if (event !== 'connect') return net.Socket.prototype.emit.call(this, event, ...args);
    let lines = `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n`;
    if (proxy.username || proxy.password) {
      const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
      lines += `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
    }
    // Not through write, behind which stands what its holders have written.
    socket._writeGeneric(false, `${lines}\r\n`, 'latin1', (err) => err && socket.destroy(err));
    socket._handle.reading = true;
    socket._handle.readStart();
    socket.connecting = true;
    return true;
  };
  socket.push = function (chunk) {
    if (chunk === null) {
      refuse(`the connection to ${to} was closed`, 'ECONNRESET');
      return false;
    }
    head = Buffer.concat([head, chunk]);
    const length = head.indexOf('\r\n\r\n') + 4;
    if (length < 4 && head.length < 65536) return true;
    if (!/^HTTP\/1\.[01] 2\d\d /.test(head.toString('latin1', 0, 16))) {
      refuse(`connect ECONNREFUSED ${to}: the proxy says ${head.toString('latin1').split('\r\n')[0]}`, 'ECONNREFUSED');
      return false;
    }
    end();
    socket.connecting = false;
    socket.emit('connect');
    socket.emit('ready');
    return head.length > length ? socket.push(head.subarray(length)) : true;
  };
  socket.setNoDelay(true);
  socket.connecting = true;
  process.nextTick(() => socket.destroyed || socket.connect({ host: bare(proxy.hostname), port: Number(proxy.port) || 80 }));
}
