package flaketap

import flaketap.Answer.answer
import flaketap.Api.begin
import flaketap.Api.bound
import flaketap.Api.cleanUp
import flaketap.Api.find
import flaketap.Api.fromBase64
import flaketap.Api.given
import flaketap.Api.gone
import flaketap.Api.inPath
import flaketap.Api.secret
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

/** Made by flaketap from a recording. */
class FilesTest {
  @Test
  @DisplayName("POST /files gives 204")
  fun postFilesGives204() {
    begin()
    try {
      // POST /files
      val res =
        given()
          .header("Content-Type", "application/octet-stream")
          .body(fromBase64("//4ACiI="))
          .`when`()
          .request("POST", "/files")
      res.then().statusCode(204)
      answer(res).isEmpty()

      // POST /files
      val res2 =
        given().body(fromBase64(secret("POST_FILES_BODY"))).`when`().request("POST", "/files")
      answer(res2).hasDigest(3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")

      // GET /files/{name} is left out: it was not recorded in full.

      // GET /text
      val res4 = given().`when`().request("GET", "/text")
      find(res4, "orderId", "/body/items/0/id")
      res4.then().statusCode(200)
      answer(res4).hasText("it's \"plain\"\n" + secret("ANN_TOKEN"))

      // DELETE /orders/{id}
      val res5 = given().`when`().request("DELETE", "/orders/" + inPath(bound("orderId")))
      gone(res5, "orderId")
      res5.then().statusCode(204)
    } finally {
      // Clean-up: DELETE /orders/{id}
      cleanUp { given().`when`().request("DELETE", "/orders/" + inPath(bound("orderId"))) }
    }
  }
}
