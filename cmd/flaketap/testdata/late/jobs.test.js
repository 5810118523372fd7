const BASE = process.env.FLAKETAP_URL;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function make(of) {
  const made = await fetch(`${BASE}/jobs`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ of }),
  });
  expect(made.status).toBe(202);
  return (await made.json()).id;
}

const getJob = (id) => fetch(`${BASE}/jobs/${id}`);

async function getShelf(id) {
  const shelf = await fetch(`${BASE}/shelf/${id}`);
  if (!shelf.ok) throw new Error(`status ${shelf.status}`);
  return shelf.json();
}

test("at once", async () => {
  const id = await make("tea");
  const job = await fetch(`${BASE}/jobs/${id}`);
  expect(job.status).toBe(200);
  const body = await job.json();
  expect(body.state).toBe("done");
  expect(body.total).toBe(42);
  expect(body.id).toBe(id);
});

// The shop needs a moment.
test("after a while", async () => {
  const id = await make("tea");

  await sleep(200); // until it is done

  const job = await getJob(id);
  const body = await job.json();
  expect(body.state).toBe("done");
  expect(body.total).toBe(42);
});

test("mud fails", async () => {
  const id = await make("mud");
  await new Promise((resolve) => setTimeout(resolve, 250));
  const job = await getJob(id);
  expect((await job.json()).state).toBe("failed");
});

test("on shelves at once", async () => {
  const pollFor = await make("tea");
  const two = await make("tea");
  const all = await Promise.all([getShelf(pollFor), getShelf(two)]);
  expect([all[0].of, all[1].of]).toEqual(["tea", "tea"]);
});

test("two shelves are alike", async () => {
  const one = await make("tea");
  const two = await make("tea");
  expect((await getShelf(one)).of).toEqual((await getShelf(two)).of);
});
