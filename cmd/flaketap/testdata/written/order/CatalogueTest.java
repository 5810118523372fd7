package shop;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** Tests that lean on each other: each reads what one before it has made. */
class CatalogueTest {
  private static final String BASE =
      System.getenv().getOrDefault("FLAKETAP_URL", "http://localhost:8080");

  private static int shared;

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void a_creates() {
    shared =
        given()
            .contentType(ContentType.JSON)
            .body("{\"name\": \"Pen\", \"tag\": \"book\", \"priceCents\": 120}")
            .when()
            .post(BASE + "/products")
            .then()
            .statusCode(201)
            .extract()
            .path("id");
  }

  @Test
  void b_reads() {
    // by its number
    given()
        .when()
        .get(BASE + "/products/8")
        .then()
        .statusCode(200)
        .body("id", equalTo(8))
        .body("name", equalTo("Pen"));
  }

  @Test
  void c_readsByParameter() {
    Response res = RestAssured.given().get(BASE + "/products/{id}", 8);
    assertEquals(200, res.statusCode());
    assertEquals(120, res.jsonPath().getInt("priceCents"));
  }

  @Test
  void d_readsByTheJdk() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(BASE + "/products/8")).GET().build();
    HttpResponse<String> res = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(200, res.statusCode());
    assertEquals("Pen", JsonPath.from(res.body()).getString("name"));
  }

  @Test
  void e_reviews() {
    given()
        .contentType(ContentType.JSON)
        .body("{\"author\": \"Ada\", \"stars\": 5, \"text\": \"Writes well.\"}")
        .when()
        .post(BASE + "/products/8/reviews")
        .then()
        .statusCode(201);
  }

  @Test
  void f_isShared() {
    given().get(BASE + "/products/" + shared).then().statusCode(200);
  }

  @Test
  void g_deletes() throws Exception {
    HttpResponse<String> res =
        client.send(
            HttpRequest.newBuilder(URI.create(BASE + "/products/8")).DELETE().build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(204, res.statusCode());
  }
}
