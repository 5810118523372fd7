// Runs collections for commands that would each have to start a Newman of their own, which takes longer than their tests.
// A command posts its environment, as "env -0" writes it, and names the collection in a header, besides the file for JUnit's
// results, if it wants one: both from its folder, PWD. The answer is 200 where all tests pass, and says which do not, and why.
//
// The argument is the port; NODE_PATH is where Newman lies.
'use strict';
const http = require('node:http');
const path = require('node:path');
const newman = require('newman');

http.createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.end();
      return;
    }
    const environment = Object.fromEntries(Buffer.concat(pieces).toString().split('\0').map((line) => {
      const is = line.indexOf('=');
      return [line.slice(0, is), line.slice(is + 1)];
    }));
    const { collection, results } = request.headers;
    newman.run({
      collection: path.resolve(environment.PWD, collection),
      envVar: [{ key: 'base', value: environment.FLAKETAP_URL }],
      reporters: results ? ['junit'] : [],
      reporter: { junit: { export: results && path.resolve(environment.PWD, results) } },
    }, (error, summary) => {
      const failures = summary?.run.failures.map(({ source, error: { test, message } }) => `${source?.name}: ${test}: ${message}\n`) ?? [];
      response.writeHead(error || failures.length ? 500 : 200);
      response.end((error ? `${error}\n` : '') + failures.join(''));
    });
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
