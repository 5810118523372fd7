import { assert, beforeEach, describe, expect, it, test, vi } from "vitest";
import { call, retry, say, soon, to } from "../lib.js";
import { Client, checkOne, checkSoon, eventually, never } from "./helper";

interface Body {
  user?: { id: string };
}

describe("all", () => {
  test("goes on", async () => {
    expect(1).toBe(2);
    say("toBe");
    await soon();
    expect({ a: 1 }).toEqual({ a: 2 });
    expect([1].map((n) => n)).toContain(3);
    expect(1, "named").not.toBe(1);
    expect({ a: 1 }).toMatchSnapshot();
    expect({ a: 1 }).toMatchInlineSnapshot(`2`);
    expect("a").to.be.a("number").and.equal("b");
    assert.equal(1, 2);
    expect.soft(1).toBe(2);
    say("others");
    checkOne(2);
    await checkSoon(2);
    const client = new Client(1);
    expect(await client.check(2)).toBe(3);
    say("helpers");
    await expect(soon(1)).resolves.toBe(2);
    await expect(soon(1)).rejects.toThrow();
    await expect(Promise.reject(new Error("no"))).resolves.not.toBe(2);
    say("promises");
    await soon(2).then((n: number) => {
      expect(n).toBe(1);
      say("then");
    });
    [3].forEach((n) => {
      expect(n).toBe(1);
      say("forEach");
    });
    await Promise.all(
      [3].map(async (n) => {
        await soon();
        expect(n).toBe(1);
        say("all");
      }),
    );
    try {
      await soon();
      expect(1).toBe(2);
      say("try");
    } finally {
      say("finally");
    }
    say("end");
  });

  it("ends", async () => {
    const body: Body = await soon({});
    expect(body.user).toBeDefined();
    const id = body.user!.id;
    say(`wrong ${id}`);
  });

  test("waits", async () => {
    expect(() => {
      expect(1).toBe(2);
      say("wrong");
    }).toThrow();
    await expect(never()).rejects.toThrow("to be");
    await expect(async () => never()).rejects.toThrow("to be");
    for (let i = 0; i < 3; i++) {
      try {
        await soon();
        expect(i).toBe(2);
        say("third");
      } catch {
        say("caught");
      }
    }
    const error = await never().catch((e) => e);
    expect(error.message).toContain("to be");
    await never().then(
      () => say("wrong"),
      () => say("handled"),
    );
    await Promise.allSettled([never(), soon()]);
    await eventually(async () => {
      expect(1).toBe(2);
      say("wrong");
    });
    await eventually(() => never());
    await eventually(never);
    await retry(never);
    await retry(() => never());
    await to(never());
    await to(call(never));
    await new Promise((done) => {
      setTimeout(() => to(never()).then(done), 1);
    });
    let polls = 0;
    await expect.poll(() => polls++, { interval: 1 }).toBe(2);
    let tries = 0;
    await vi.waitFor(() => expect(tries++).toBe(2), { interval: 1 });
    say("waited");
  });

  test.each([1, 2])("table %i", (n) => {
    expect(n).toBe(3);
    say("row");
  });

  test.concurrent("at once", async ({ expect }) => {
    await soon();
    expect(1).toBe(2);
    say("concurrent");
  });

  test("passes", () => {
    expect.assertions(1);
    expect(1).toBe(1);
  });

  test("knows its places", async () => {
    expect({ a: 1 }).toMatchInlineSnapshot(`
      {
        "a": 1,
      }
    `);
    expect(2).toMatchInlineSnapshot(`2`);
    await expect(soon(3)).resolves.toMatchInlineSnapshot(`3`);
    await expect(soon(4)).resolves.toMatchInlineSnapshot(`4`);
  });

  test.skip("skipped", () => {
    say("wrong");
  });
});

describe("prepared", () => {
  beforeEach(() => {
    expect("not prepared").toBe("prepared");
    say("wrong");
  });

  test("prepared", () => {
    say("wrong");
  });
});

const withUser = test.extend<{ user: number }>({
  user: async ({}, use) => {
    expect(1).toBe(1);
    await use(7);
  },
});

withUser("given", async ({ user }) => {
  expect(user).toBe(8);
  await soon();
  expect(user).toBe(8);
  say("given");
});
