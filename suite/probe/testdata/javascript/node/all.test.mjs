import assert, { strictEqual } from "node:assert";
import test, { describe, it } from "node:test";
import lib from "../lib.js";

const { say, soon, to } = lib;

describe("all", () => {
  it("goes on", async (t) => {
    assert.equal(1, 2);
    say("equal");
    await soon();
    assert(false);
    strictEqual(1, 2);
    say("others");
    await t.test("part", () => {
      assert.equal(1, 2);
      say("part");
    });
    say("end");
  });

  it("ends", () => {
    const body = {};
    assert.ok(body.user);
    say(`wrong ${body.user.id}`);
  });

  it("waits", async () => {
    assert.throws(() => {
      assert.equal(1, 2);
      say("wrong");
    });
    await to(
      soon().then(() => {
        assert.equal(1, 2);
        say("wrong");
      }),
    );
    say("waited");
  });
});

test("alone", () => {
  assert.fail("not yet");
  say("alone");
});
