
=== quotes
const { expect } = require('chai')

const URL = 'http://localhost:1'

describe('items', function () {
  it('reads', async function () {
    const res = await fetch(URL + '/items/4')
    expect(res.status).to.equal(200)
  })
})
---
const { expect } = require('chai')

const URL = 'http://localhost:1'

describe('items', function () {
  it('reads', async function () {
    // flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
    const setup_0 = await fetch(URL + '/items', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ a: 'b' }),
    })
    // flaketap: the set-up has to succeed
    if (setup_0.status !== 201) throw new Error(`the set-up was answered ${setup_0.status}`)
    const setup_itemId = String((await setup_0.json()).id)

    try {
      const res = await fetch(URL + `/items/${setup_itemId}`)
      expect(res.status).to.equal(200)
    } finally {
      await fetch(URL + `/items/${setup_itemId}`, { method: 'DELETE' })
    }
  })
})

=== promise
test("reads", () => {
  return fetch("http://localhost:1/items/4").then((res) => expect(res.status).toBe(200));
});
---
refused: the test is no async function

=== helper
const get = (path) => fetch("http://localhost:1" + path);

test("reads", async () => {
  const res = await get("/items/4");
  expect(res.status).toBe(200);
});
---
refused: with which client, and to which base URL, the test sends its requests is not known at its head

=== supertest
const request = require("supertest");

test("reads", async () => {
  const res = await request("http://localhost:1").get("/items/4");
  expect(res.status).toBe(200);
});
---
refused: the test sends no request of its own by fetch or axios

=== shared
let made;

test("makes", async () => {
  made = await fetch("http://localhost:1/items", { method: "POST" });
  expect(made.status).toBe(201);
});

test("reads", async () => {
  const res = await fetch(`http://localhost:1/items/4`);
  expect(res.status).toBe(made.status);
});
---
refused: it shares the variable made with other tests

=== handed on
let made;

test("uses it", async () => {
  expect(made).toBe(4);
});

test("reads", async () => {
  const res = await fetch("http://localhost:1/items/4");
  expect(res.status).toBe(200);
  made = (await res.json()).id;
});
---
refused: it shares the variable made with other tests
