const BASE = process.env.FLAKETAP_URL || "http://localhost:8080";

const EMAIL = "ada@example.com";

const join = (email) =>
  fetch(`${BASE}/members`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, name: "Ada", role: "guest" }),
  });

describe("members", () => {
  const grace = { email: "grace@example.com", name: "Grace", role: "guest" };

  test("join", async () => {
    const res = await join(EMAIL);
    expect(res.status).toBe(201);
    const member = await res.json();
    expect(member.email).toBe(EMAIL);
  });

  test("are found", async () => {
    const found = await fetch(`${BASE}/members?email=${EMAIL}`);
    expect((await found.json())[0].email).toBe(EMAIL);
  });

  test("join once", async () => {
    const body = JSON.stringify(grace);
    const headers = { "Content-Type": "application/json" };
    const first = await fetch(`${BASE}/members`, { method: "POST", headers, body });
    expect(first.status).toBe(201);
    const second = await fetch(`${BASE}/members`, { method: "POST", headers, body });
    expect(second.status).toBe(409);
    const refused = await second.json();
    expect(refused.error).toContain(grace.email);
  });
});
