const { say, soon } = require("../lib.js");

test("handles what was made before", async () => {
  const check = async () => {
    await soon();
    expect(1).toBe(2);
    say("wrong");
  };
  const first = check();
  first.catch(() => {});
  await soon();
  await soon();
});
