const { say, soon } = require("../lib.js");

const checkOne = (n) => {
  expect(n).toBe(1);
  say("helper");
};

async function checkSoon(n) {
  await soon(n);
  expect(n).toBe(1);
  say("soon");
}

const never = async () => {
  await soon(2);
  expect(2).toBe(1);
  say("wrong");
};

async function eventually(fn) {
  for (let i = 0; i < 2; i++) {
    try {
      return await fn();
    } catch {
      say("again");
    }
  }
}

class Client {
  async check(n) {
    expect(await soon(n)).toBe(1);
    say("client");
    return n;
  }
}

module.exports = { Client, checkOne, checkSoon, eventually, never };
