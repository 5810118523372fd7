const assert = require("node:assert");
const { test } = require("node:test");

const BASE = process.env.FLAKETAP_URL;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test("tea is done", async () => {
  const made = await fetch(`${BASE}/jobs`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ of: "tea" }),
  });
  const { id } = await made.json();
  await sleep(2000);
  const job = await fetch(`${BASE}/jobs/${id}`);
  assert.strictEqual(job.status, 200);
  const body = await job.json();
  assert.strictEqual(body.state, "done");
  assert.strictEqual(body.total, 42);
});
