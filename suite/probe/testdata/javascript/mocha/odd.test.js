const { EventEmitter } = require("node:events");
const { expect } = require("chai");
const { call, retry, say, soon, to } = require("../lib.js");

async function never() {
  await soon();
  expect(1).to.equal(2);
  say("wrong");
}

const inner = async () => {
  await soon();
  expect(1).to.equal(2);
  say("wrong");
};

const outer = async () => {
  try {
    await inner();
  } catch (error) {
    say("outer");
  }
};

const api = {
  async check() {
    await soon();
    expect(1).to.equal(2);
    say("wrong");
  },
};

const makeCheck = () => async () => {
  await soon();
  expect(1).to.equal(2);
  say("wrong");
};

describe("live", () => {
  const live = (name, body) => it(name, body);
  it("settled", async () => {
    await Promise.allSettled(
      [1].map(async () => {
        await soon();
        expect(1).to.equal(2);
        say("wrong");
      }),
    );
    await Promise.allSettled([never(), inner()]);
    await Promise.race([soon(), never()]);
    await Promise.any([never(), soon()]);
  });
  it("object", async () => {
    await call(async () => 1);
    await retry({
      async run() {
        expect(1).to.equal(2);
        say("wrong");
      },
    }.run);
  });
  it("returned", () => retry(never));
  it("returned made", () => {
    return retry(makeCheck());
  });
  it("returned inline", () =>
    retry(async () => {
      await soon();
      expect(1).to.equal(2);
      say("wrong");
    }));
  it("returned caught", () =>
    soon()
      .then(() => {
        expect(1).to.equal(2);
        say("wrong");
      })
      .catch(() => {}));
  it("returned to", () => {
    return to(never());
  });
  it("closure", async () => {
    const check = async () => {
      await soon();
      expect(1).to.equal(2);
      say("wrong");
    };
    await retry(check);
    await to(check());
    const [error] = await to(Promise.all([check()]));
    if (!error) say("wrong");
  });
  it("event", () => {
    const events = new EventEmitter();
    events.on("x", () => {
      expect(1).to.equal(2);
      say("wrong");
    });
    expect(() => events.emit("x")).to.throw();
  });
  it("nested", async () => {
    try {
      await (async () => {
        await soon();
        expect(1).to.equal(2);
        say("wrong");
      })();
    } catch {}
    await outer();
    await never().then(null, () => {});
    await never()
      .finally(() => {})
      .catch(() => {});
    await to(api.check());
    await retry(api.check);
    await retry(() => expect(1).to.equal(2));
    await retry(function () {
      expect(1).to.equal(2);
      say("wrong");
    });
  });
  live("of a function", async () => {
    await soon();
    say("function");
  });
});

// No semicolons, and whatever else makes a source hard to read.
describe("muted", () => {
  it("odd", async () => {
    const pattern = /["'{(\/]/.test("}") ? 4 / 2 / 1 : `${[1].map((n) => `{${n}`)}(`
    expect(pattern).to.equal(1) // {
    say("pattern")
    const { length } = await soon([1]).catch((e) => e)
    expect(length).to.equal(2)
    say("after catch")
    /* ( */
    switch (length) {
      case 1: {
        expect(length).to.equal(2)
        say("case")
      }
    }
    await (async () => {
      await soon()
      expect(1).to.equal(2)
      say("called")
    })()
    for await (const n of [soon(1)]) {
      expect(n).to.equal(2)
      say("for await")
    }
    class Shop {
      static check = (n) => {
        expect(n).to.equal(2)
        say("static")
      }
    }
    Shop.check(1)
    exports.check = async (n) => {
      await soon()
      expect(n).to.equal(2)
      say("exports")
      return { n }
    }
    const { n } = await exports.check(1)
    if (n === 1) expect(n).to.equal(2)
    else say("wrong")
    expect([1, 2].filter((one) => one > 1), "a word").to.deep.equal([
      1,
    ])
    say("odd")
  })
})
