package shop

import io.restassured.RestAssured.given
import org.hamcrest.Matchers.equalTo
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

const val BASE = "http://localhost:1"

@DisplayName("users")
class ConstantTest {
    companion object {
        const val EMAIL = "ada@example.com"
    }

    @Test
    fun signsUp() {
        given()
            .contentType("application/json")
            .body("""{"email":"$EMAIL","name":"Ada"}""")
            .post("$BASE/users")
            .then()
            .statusCode(201)
            .body("email", equalTo(EMAIL))
        given().get("$BASE/users?email=$EMAIL").then().body("[0].email", equalTo(EMAIL))
    }
}
