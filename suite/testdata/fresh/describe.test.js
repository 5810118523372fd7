const axios = require("axios");

const BASE = "http://localhost:1";

describe("users", () => {
  const user = { email: "ada@example.com", name: "Ada" };

  it("signs up", async () => {
    const res = await axios.post(`${BASE}/users`, user);
    expect(res.status).toBe(201);
    expect(res.data).toEqual(user);
    const found = await axios.get(`${BASE}/users?email=${user.email}`);
    expect(found.data[0].email).toBe("ada@example.com");
  });
});
