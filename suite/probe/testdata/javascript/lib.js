// What a suite uses: functions that call back, and that handle failures.
const fs = require("node:fs");

const say = (word) => fs.appendFileSync(process.env.SAID, `${word}\n`);
const soon = (value) => new Promise((done) => setTimeout(done, 1, value));
const to = (promise) =>
  promise.then((value) => [null, value]).catch((error) => [error]);
const retry = (fn, left = 2) =>
  Promise.resolve()
    .then(fn)
    .catch((error) => (left ? retry(fn, left - 1) : error));
const call = (fn) => fn();

module.exports = { call, retry, say, soon, to };
