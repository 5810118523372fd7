// Made by flaketap from a recording. The tests run in the order in which they stand.

const {
  VOLATILE,
  asJSON,
  bound,
  cleanUp,
  exact,
  given,
  inJSON,
  inPath,
  inQuery,
  like,
  once,
  secret,
  send,
  sendRaw,
  take,
  textAt,
  textsAt,
  volatile,
  without,
} = require("./flaketap/flaketap");

const postLogin = once(async () => {
  // POST /login
  const res = await send({
    method: "POST",
    target: "/login",
    headers: [["Content-Type", "application/json"]],
    body: `{"password":"${inJSON(secret("secret:bbbbbbbbbbbb"))}"}`,
  });
  take("token", res, "/body/token");
  expect(res.status).toBe(200);
});

// POST /orders gives 201
// it's "quoted" \ and */ $ended
test("post_orders_gives_201", async () => {
  try {
    // POST /login
    await postLogin();

    // POST /orders
    // node:http sends it, since fetch would join the lines of a header of the answer
    const res = await sendRaw({
      method: "POST",
      target: `/orders?by=${inQuery(bound.token)}`,
      headers: [
        ["Authorization", `Bearer ${bound.token}`],
        ["Content-Type", "application/json"],
        ["X-Odd", "a\tb é"],
      ],
      body: `{"ref": ${asJSON(bound.orderId)}, "note": "<${inJSON(bound.etag)}>", "$x": "\`\${y}\` é\\n"}`,
      chunked: true,
    });
    take("orderId", res, "/body/id");
    take("etag", res, "/header/etag");
    expect(res.status).toBe(201);
    expect(res.header("content-type")).toBe("application/json");
    expect(res.lines("x-twice")).toEqual([
      "a",
      `b ${secret("secret:0123456789ab")}`,
    ]);
    expect(res.cookieNames).toContain("sid");
    // /header/location: State, moved in 9 of 10
    expect(textAt(res, "/header/location")).toBe(
      `http://${res.host}/orders/${bound.orderId}`,
    );
    // /header/x-end: State, moved in 9 of 10
    expect(textAt(res, "/header/x-end")).toEndWith(`/${bound.orderId}`);
    expect(without(res.json, "/hint")).toEqual({
      id: like({ text: bound.orderId }), // State, moved in 9 of 10
      big: exact("9007199254740993"),
      price: 12.1,
      "a/b~": [true, null, "é"],
      lines: [{ n: 1, at: volatile }],
      "": {},
    });
    // /body/lines/*/at: Time, moved in 10 of 10
    expect(res).toHold("/body/lines/*/at", {
      type: "string",
      format: "rfc3339",
      near: [res.now, 61],
      optional: true,
    });
    // /body/made: Time, moved in 10 of 10; this close to its answer in 17 of 17
    expect(res).toHold("/body/made", {
      type: "string",
      format: "rfc3339",
      near: [res.now, 2],
    });
    // /body/until: Time, moved in 10 of 10; this close to its answer in 17 of 17
    expect(res).toHold("/body/until", {
      type: "null|integer",
      near: [res.now + 300, 10],
    });
    // /body/hint: Rand, moved in 3 of 10
    expect(res).toHold("/body/hint", {
      type: "null|string",
      pattern: /a\d+\.b"/,
      optional: true,
    });
    expect(res).toBeRelated("sum", "/body/total", "/body/net", "/body/tax");
    // /body/version: in 17 of 17
    expect(res).toBeRelated("sum", "/body/version", `=${bound.orderId}`, "=1");
    // /header/etag: in 17 of 17
    expect(res).toBeRelated("other", "/header/etag", `=${bound.etag}`);
    // /header/etag: so in 17 of 17
    expect(res).toHaveDigest("/header/etag", "md5", "/body");
    // /body/seal: so in 17 of 17
    expect(res).toHaveDigest("/body/seal", "sha256", `=${bound.orderId}`, 32);
    // /body/lines: so in 17 of 17
    expect(res).toBeRelated("unique", "/body/lines", "/body/lines/*/n");
    expect(res).toBeRelated("ascending", "/body/lines", "/body/lines/*/n");
    // /body/lines: State, follows what was sent before
    expect(res).toHaveItems(
      "/body/lines",
      [
        { n: 1, at: VOLATILE },
        { n: 2, at: VOLATILE },
      ],
      { masks: ["/*/at"], extent: "among" },
    );
    expect(textsAt(res, "/body/lines/*/of")).toContain(bound.orderId);
  } finally {
    // DELETE /orders/{id}
    if (given("orderId")) {
      await cleanUp({
        method: "DELETE",
        target: `/orders/${inPath(bound.orderId)}`,
        headers: [["Authorization", `Bearer ${bound.token}`]],
      });
    }
  }
});
