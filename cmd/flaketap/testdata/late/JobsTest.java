import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.restassured.http.ContentType;
import io.restassured.response.Response;
import org.junit.jupiter.api.Test;

class JobsTest {
  private static final String BASE = System.getenv("FLAKETAP_URL");

  private static String make(String of) {
    return given()
        .contentType(ContentType.JSON)
        .body("{\"of\":\"" + of + "\"}")
        .post(BASE + "/jobs")
        .then()
        .statusCode(202)
        .extract()
        .path("id");
  }

  private static Response getJob(String id) {
    return given().get(BASE + "/jobs/" + id);
  }

  private static Response shelf(String id) {
    return given().get(BASE + "/shelf/" + id).then().statusCode(200).extract().response();
  }

  @Test
  void onTheShelf() {
    String id = make("tea");
    Response shelf = shelf(id);
    assertEquals("tea", shelf.path("of"));
    assertEquals(42, (int) shelf.path("total"));
  }

  @Test
  void atOnce() {
    String id = make("tea");
    given()
        .when()
        .get(BASE + "/jobs/" + id)
        .then()
        .statusCode(200)
        .body("state", equalTo("done"))
        .body("total", equalTo(42));
  }

  // The shop needs a moment.
  @Test
  void afterAWhile() throws Exception {
    String id = make("tea");

    Thread.sleep(200); // until it is done

    Response job = getJob(id);
    assertEquals(200, job.statusCode());
    assertEquals("done", job.path("state"));
    assertEquals(42, (int) job.path("total"));
  }

  @Test
  void mudFails() throws Exception {
    String id = make("mud");
    Thread.sleep(250);
    getJob(id).then().statusCode(200).body("state", equalTo("failed"));
  }
}
