// Tests that a hook logs in for, by an account that another test signs up.
const { expect } = require("chai");

const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";

async function send(method, path, token, body) {
  const response = await fetch(BASE + path, {
    method,
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${token}`,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

describe("accounts", function () {
  it("signs up", async function () {
    const made = await send("POST", "/accounts", "", {
      email: "grace@example.com",
      password: "flow-matic",
      displayName: "Grace",
      birthDate: "1906-12-09",
    });
    expect(made.status).to.equal(201);
    expect(made.body.displayName).to.equal("Grace");
  });
});

describe("the cart", function () {
  let token;

  beforeEach(async function () {
    const login = await send("POST", "/login", "", {
      email: "grace@example.com",
      password: "flow-matic",
    });
    token = login.body.token;
  });

  it("knows who it is", async function () {
    const me = await send("GET", "/me", token);
    expect(me.status).to.equal(200);
    expect(me.body.displayName).to.equal("Grace");
  });

  it("shows the cart", async function () {
    const cart = await send("GET", "/cart", token);
    expect(cart.status).to.equal(200);
    expect(cart.body.items).to.deep.equal([]);
  });

  it("orders what is in the cart", async function () {
    const order = await send("POST", "/orders", token, {
      items: [{ product: 1, quantity: 1 }],
    });
    expect(order.status).to.equal(202);
  });
});
