package shop

import io.restassured.RestAssured.given
import org.hamcrest.Matchers.equalTo
import org.junit.jupiter.api.Test

class UsersTest {
    private val base = "http://localhost:1"

    @Test
    fun signsUp() {
        given()
            .contentType("application/json")
            .body("""{"email":"ada@example.com","name":"Ada"}""")
            .post("$base/users")
            .then()
            .statusCode(201)
            .body("email", equalTo("ada@example.com"))
        given()
            .get("$base/users?email=ada@example.com")
            .then()
            .body("[0].email", equalTo("ada@example.com"))
    }
}
