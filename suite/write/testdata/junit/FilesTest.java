package flaketap;

import static flaketap.Answer.answer;
import static flaketap.Api.begin;
import static flaketap.Api.bound;
import static flaketap.Api.cleanUp;
import static flaketap.Api.find;
import static flaketap.Api.fromBase64;
import static flaketap.Api.given;
import static flaketap.Api.gone;
import static flaketap.Api.inPath;
import static flaketap.Api.secret;

import io.restassured.response.Response;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Made by flaketap from a recording. */
class FilesTest {
  @Test
  @DisplayName("POST /files gives 204")
  void postFilesGives204() {
    begin();
    try {
      // POST /files
      Response res =
          given()
              .header("Content-Type", "application/octet-stream")
              .body(fromBase64("//4ACiI="))
              .when()
              .request("POST", "/files");
      res.then().statusCode(204);
      answer(res).isEmpty();

      // POST /files
      Response res2 =
          given().body(fromBase64(secret("POST_FILES_BODY"))).when().request("POST", "/files");
      answer(res2).hasDigest(3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

      // GET /files/{name} is left out: it was not recorded in full.

      // GET /text
      Response res4 = given().when().request("GET", "/text");
      find(res4, "orderId", "/body/items/0/id");
      res4.then().statusCode(200);
      answer(res4).hasText("it's \"plain\"\n" + secret("ANN_TOKEN"));

      // DELETE /orders/{id}
      Response res5 = given().when().request("DELETE", "/orders/" + inPath(bound("orderId")));
      gone(res5, "orderId");
      res5.then().statusCode(204);
    } finally {
      // Clean-up: DELETE /orders/{id}
      cleanUp(() -> given().when().request("DELETE", "/orders/" + inPath(bound("orderId"))));
    }
  }
}
