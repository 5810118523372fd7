const assert = require("assert");
const { same } = require("./helper");

expect.extend({
  toBeEven: (n) => ({ pass: n % 2 === 0, message: () => `${n} is odd` }),
});

test("loops", async () => {
  for (const [got, want] of [
    [1, 1],
    [2, 1],
    ["two", 2],
  ]) {
    expect(got).toBe(want);
  }
  await expect(Promise.resolve(4)).resolves.toBe(5);
});

test("others", () => {
  same({ id: 7 }, { id: 8 });
  expect(3).toBeEven();
  expect([1]).toHaveLength(2);
  assert.strictEqual("a", "b");
  try {
    expect(1).toBe(2);
  } catch {
    // waited for
  }
  JSON.parse("1", (key, value) => expect(value).toBe(null));
});
