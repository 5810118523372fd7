package flaketap;

import static flaketap.Answer.answer;
import static flaketap.Api.asJson;
import static flaketap.Api.begin;
import static flaketap.Api.bound;
import static flaketap.Api.chunked;
import static flaketap.Api.cleanUp;
import static flaketap.Api.given;
import static flaketap.Api.host;
import static flaketap.Api.inJson;
import static flaketap.Api.inPath;
import static flaketap.Api.inQuery;
import static flaketap.Api.once;
import static flaketap.Api.secret;
import static flaketap.Api.take;

import io.restassured.response.Response;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Made by flaketap from a recording. */
class OrdersTest {
  @Test
  @DisplayName("POST /orders gives 201")
  void postOrdersGives201() throws Exception {
    // it's "quoted" \\ and */ $ended

    begin();
    try {
      // Set-up: POST /login
      once(
          "post_login",
          () -> {
            Response res =
                given()
                    .header("Content-Type", "application/json")
                    .body("{\"password\":\"" + inJson(secret("secret:bbbbbbbbbbbb")) + "\"}")
                    .when()
                    .request("POST", "/login");
            take(res, "token", "/body/token");
            res.then().statusCode(200);
          });

      // POST /orders
      Response res2 =
          given()
              .filter(chunked())
              .header("Authorization", "Bearer " + bound("token"))
              .header("Content-Type", "application/json")
              .header("X-Odd", "a\tb é")
              .body(
                  "{\"ref\": "
                      + asJson(bound("orderId"))
                      + ", \"note\": \"<"
                      + inJson(bound("etag"))
                      + ">\", \"$x\": \"`${y}` é\\n\"}")
              .when()
              .request("POST", "/orders?by=" + inQuery(bound("token")));
      take(res2, "orderId", "/body/id");
      take(res2, "etag", "/header/etag");
      res2.then().statusCode(201).header("content-type", "application/json");
      answer(res2).hasHeader("x-twice", "a", "b " + secret("secret:0123456789ab"));
      answer(res2).setsCookie("sid");
      // /header/location: State, moved in 9 of 10
      answer(res2)
          .at("/header/location")
          .isText("http://" + host() + "/orders/" + bound("orderId"));
      // /header/x-end: State, moved in 9 of 10
      answer(res2).at("/header/x-end").endsWith("/" + bound("orderId"));
      answer(res2)
          .body()
          .masking("/id", "/lines/*/at")
          .without("/hint")
          .isJson(
              """
              {
                "id": "<volatile>",
                "big": 9007199254740993,
                "price": 12.10,
                "a/b~": [true, null, "é"],
                "lines": [{"n": 1, "at": "<volatile>"}],
                "": {}
              }
              """);
      // /body/id: State, moved in 9 of 10
      answer(res2).at("/body/id").isText(bound("orderId"));
      // /body/lines/*/at: Time, moved in 10 of 10
      answer(res2).each("/body/lines/*/at").isFormat("rfc3339").isNear(0, 61);
      // /body/made: Time, moved in 10 of 10; this close to its answer in 17 of 17
      answer(res2).at("/body/made").isFormat("rfc3339").isNear(0, 2);
      // /body/until: Time, moved in 10 of 10; this close to its answer in 17 of 17
      answer(res2).each("/body/until").isType("null|integer").isNear(300, 10);
      // /body/hint: Rand, moved in 3 of 10
      answer(res2).each("/body/hint").unlessNull().matches("a\\d+\\.b\"");
      answer(res2).isRelated("sum", "/body/total", "/body/net", "/body/tax");
      // /body/version: in 17 of 17
      answer(res2).isRelated("sum", "/body/version", "=" + bound("orderId"), "=1");
      // /header/etag: in 17 of 17
      answer(res2).isRelated("other", "/header/etag", "=" + bound("etag"));
      // /header/etag: so in 17 of 17
      answer(res2).hasDigestOf("/header/etag", "md5", "/body", 0);
      // /body/seal: so in 17 of 17
      answer(res2).hasDigestOf("/body/seal", "sha256", "=" + bound("orderId"), 32);
      // /body/lines: so in 17 of 17
      answer(res2).isRelated("unique", "/body/lines", "/body/lines/*/n");
      answer(res2).isRelated("ascending", "/body/lines", "/body/lines/*/n");
      // /body/lines: State, follows what was sent before
      answer(res2)
          .at("/body/lines")
          .masking("/*/at")
          .hasAmongItems(
              """
              [{"n": 1, "at": "<volatile>"}, {"n": 2, "at": "<volatile>"}]
              """);
      answer(res2).at("/body/lines/*/of").someIsText(bound("orderId"));
    } finally {
      // Clean-up: DELETE /orders/{id}
      cleanUp(
          () ->
              given()
                  .header("Authorization", "Bearer " + bound("token"))
                  .when()
                  .request("DELETE", "/orders/" + inPath(bound("orderId"))));
    }
  }
}
