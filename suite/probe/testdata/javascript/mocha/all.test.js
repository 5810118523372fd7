const { assert, expect } = require("chai");
const node = require("node:assert");
const { retry, say, soon, to } = require("../lib.js");

async function never() {
  await soon();
  expect(1).to.equal(2);
  say("wrong");
}

describe("all", function () {
  it("goes on", async function () {
    expect(1).to.equal(2);
    say("equal");
    await soon();
    expect({ a: 1 }).to.deep.equal({ a: 2 });
    expect(undefined).to.be.an("array").that.has.lengthOf(3);
    expect(false).to.be.true;
    expect({ a: 1, b: 2 }).to.not.include({ a: 1, b: 3 });
    expect({}).to.have.property("a").that.equals(2);
    expect({}).to.contain.keys("a");
    say("others");
    assert.equal(1, 2);
    assert.isTrue(false);
    say("assert");
    node.strictEqual(1, 2);
    node(false);
    node.ok(0);
    node.strict.equal(1, 2);
    node.deepStrictEqual({ a: 1 }, { a: 2 });
    await node.rejects(soon());
    node.throws(() => {});
    say("end");
  });

  it("ends", () => {
    const body = {};
    expect(body).to.have.property("user");
    say(`wrong ${body.user.id}`);
  });

  it("waits", async () => {
    expect(() => {
      expect(1).to.equal(2);
      say("wrong");
    }).to.throw();
    node.throws(() => {
      node.equal(1, 2);
      say("wrong");
    });
    await node.rejects(never());
    await node.rejects(never);
    await retry(never);
    await to(never());
    try {
      node(false);
      say("wrong");
    } catch {
      say("waited");
    }
  });

  it("tells its runner", (done) => {
    soon()
      .then(() => {
        expect(1).to.equal(2);
        say("wrong");
      })
      .then(done, done);
  });
});

describe("prepared", () => {
  beforeEach(() => {
    expect("not prepared").to.equal("prepared");
    say("wrong");
  });

  it("prepared", () => {
    say("wrong");
  });
});
