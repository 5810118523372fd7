const { say } = require("../lib");

const soon = () => new Promise((done) => setTimeout(done, 5));

describe("at once", () => {
  test.concurrent("one", async () => {
    await soon();
    expect(1).toBe(2);
    say("one");
    await soon();
    expect(1).toBe(3);
    say("behind one");
  });

  test.concurrent("two", async () => {
    expect(2).toBe(3);
    await soon();
    await soon();
    await soon();
    say("two");
  });

  test.concurrent("caught", async () => {
    try {
      expect(2).toBe(3);
      say("wrong");
    } catch {
      await soon();
    }
  });

  test.concurrent.skip("skipped", async () => {
    say("wrong");
  });

  test("alone", () => {
    expect(3).toBe(3);
  });
});
