Tests of one file each that read /items/4, and what becomes of them.

=== plain
import io.restassured.RestAssured.given
import org.junit.jupiter.api.Test

class ItemsTest {
    private val base = "http://localhost:1"

    @Test
    fun `reads an item`() {
        val res = given().`when`().get("$base/items/4")
        val text = """
            a
              b
        """.trimIndent()
        assertEquals(200, res.statusCode)
    }
}
---
=== qualified
import io.restassured.RestAssured
import io.restassured.http.ContentType
import org.junit.jupiter.api.Test

class ItemsTest {
    @Test
    fun reads() {
        RestAssured.given().accept(ContentType.JSON).get("/items/{id}", 4)
            .then().statusCode(200)
    }
}
---
=== expression
import io.restassured.RestAssured.given
import org.junit.jupiter.api.Test

class ItemsTest {
    @Test
    fun reads() = given().get("/items/4").then().statusCode(200)
}
---
=== lambdas
import io.restassured.module.kotlin.extensions.*
import org.junit.jupiter.api.Test

class ItemsTest {
    @Test
    fun reads() {
        When {
            get("/items/4")
        } Then {
            statusCode(200)
        }
    }
}
---
