const BASE = process.env.FLAKETAP_URL;

const post = (path, body) =>
  fetch(`${BASE}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

describe("members", () => {
  test("join", async () => {
    const res = await post("/members", {
      email: "ada@example.com",
      name: "Ada",
      role: "guest",
    });
    expect(res.status).toBe(201);
    const member = await res.json();
    expect(member.email).toBe("ada@example.com");
    expect(member.name).toBe("Ada");
    const found = await fetch(`${BASE}/members?email=ada@example.com`);
    expect((await found.json())[0].email).toBe("ada@example.com");
  });

  test("leave", async () => {
    const res = await post("/members", {
      email: "alan@example.com",
      name: "Alan",
      role: "guest",
    });
    expect(res.status).toBe(201);
    const { id } = await res.json();
    const gone = await fetch(`${BASE}/members/${id}`, { method: "DELETE" });
    expect(gone.status).toBe(204);
  });

  test("have a role", async () => {
    const res = await post("/members", { email: "e@x.org", role: "king" });
    expect(res.status).toBe(400);
  });
});
