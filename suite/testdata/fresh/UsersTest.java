package shop;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;

import org.junit.jupiter.api.Test;

class UsersTest {
  static final String BASE = "http://localhost:1";

  @Test
  void signsUp() {
    given()
        .contentType("application/json")
        .body("{\"email\":\"ada@example.com\",\"name\":\"Ada\"}")
        .post(BASE + "/users")
        .then()
        .statusCode(201)
        .body("email", equalTo("ada@example.com"));
    given()
        .get(BASE + "/users?email=ada@example.com")
        .then()
        .body("[0].email", equalTo("ada@example.com"));
  }
}
