const { Client, checkOne, checkSoon, eventually, never } = require("./helper");
const { call, retry, say, soon, to } = require("../lib.js");

describe("all", () => {
  test("goes on", async () => {
    expect(1).toBe(2);
    say("toBe");
    await soon();
    expect({ a: 1 }).toEqual({ a: 2 });
    expect([1].map((n) => n)).toContain(3);
    expect(undefined).toHaveLength(3);
    expect(1).not.toBe(1);
    say("others");
    checkOne(2);
    await checkSoon(2);
    const client = new Client();
    expect(await client.check(2)).toBe(3);
    say("helpers");
    await expect(soon(1)).resolves.toBe(2);
    await expect(soon(1)).rejects.toThrow();
    await expect(Promise.reject(new Error("no"))).resolves.toBe(2);
    say("promises");
    await soon(2).then((n) => {
      expect(n).toBe(1);
      say("then");
    });
    for (const n of [1, 2]) {
      if (n > 1) expect(n).toBe(1);
    }
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
      expect(1).toBe(2);
      say("try");
    } finally {
      say("finally");
    }
    say("end");
  });

  test("ends", async () => {
    const body = await soon({});
    expect(body.user).toBeDefined();
    const id = body.user.id;
    say(`wrong ${id}`);
  });

  test("waits", async () => {
    expect(() => {
      expect(1).toBe(2);
      say("wrong");
    }).toThrow();
    await expect(never()).rejects.toThrow("toBe");
    await expect(async () => never()).rejects.toThrow("toBe");
    for (let i = 0; i < 3; i++) {
      try {
        expect(i).toBe(2);
        say("third");
      } catch {
        say("caught");
      }
    }
    const error = await never().catch((e) => e);
    expect(error.matcherResult.pass).toBe(false);
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
    say("waited");
  });

  test.each([1, 2])("table %i", (n) => {
    expect(n).toBe(3);
    say("row");
  });

  test("passes", () => {
    expect.assertions(1);
    expect(1).toBe(1);
  });

  test("tells its runner", (done) => {
    expect(1).toBe(2);
    say("wrong");
    done();
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
