package shop;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("users")
class ConstantTest {
  static final String BASE = "http://localhost:1";

  // who signs up
  private static final String EMAIL = "ada@example.com";

  static String ada() {
    return "{\"email\":\"ada@example.com\",\"name\":\"Ada\"}";
  }

  @Nested
  class SignUp {
    @Test
    void signsUp() {
      given()
          .contentType("application/json")
          .body(ada())
          .post(BASE + "/users")
          .then()
          .statusCode(201)
          .body("email", equalTo(EMAIL));
      given().get(BASE + "/users?email=" + EMAIL).then().body("[0].email", equalTo(EMAIL));
    }
  }
}
