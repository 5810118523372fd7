import io.restassured.RestAssured.given
import io.restassured.http.ContentType
import io.restassured.response.Response
import org.hamcrest.Matchers.equalTo
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

private val base: String = System.getenv("FLAKETAP_URL")

private fun make(of: String): String =
  given()
    .contentType(ContentType.JSON)
    .body("""{"of":"$of"}""")
    .post("$base/jobs")
    .then()
    .statusCode(202)
    .extract()
    .path("id")

private fun getJob(id: String): Response = given().get("$base/jobs/$id")

private fun shelf(id: String): Response =
  given().get("$base/shelf/$id").then().statusCode(200).extract().response()

class JobsTest {
  @Test
  fun `on the shelf`() {
    val id = make("tea")
    val shelf = shelf(id)
    assertEquals("tea", shelf.path<String>("of"))
    assertEquals(42, shelf.path<Int>("total"))
  }

  @Test
  fun `at once`() {
    val id = make("tea")
    given()
      .`when`()
      .get("$base/jobs/$id")
      .then()
      .statusCode(200)
      .body("state", equalTo("done"))
      .body("total", equalTo(42))
  }

  // The shop needs a moment.
  @Test
  fun `after a while`() {
    val id = make("tea")

    Thread.sleep(200) // until it is done

    val job = getJob(id)
    assertEquals(200, job.statusCode())
    assertEquals("done", job.path<String>("state"))
    assertEquals(42, job.path<Int>("total"))
  }

  @Test
  fun `mud fails`() {
    val id = make("mud")
    Thread.sleep(250)
    getJob(id).then().statusCode(200).body("state", equalTo("failed"))
  }
}
