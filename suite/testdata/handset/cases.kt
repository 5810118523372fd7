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
import io.restassured.RestAssured.given
import org.junit.jupiter.api.Test

class ItemsTest {
    private val base = "http://localhost:1"

    @Test
    fun `reads an item`() {
        // flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
        val setup_0 =
            given()
                .contentType("application/json")
                .body("""{"a": "b"}""")
                .`when`()
                .post("$base/items")
        // flaketap: the set-up has to succeed
        setup_0.then().statusCode(201)
        val setup_itemId = setup_0.path<Any>("id").toString()

        try {
            val res = given().`when`().get("$base/items/$setup_itemId")
            val text = """
            a
              b
        """.trimIndent()
            assertEquals(200, res.statusCode)
        } finally {
            given().`when`().delete("$base/items/$setup_itemId")
        }
    }
}

=== jdk
import com.fasterxml.jackson.databind.ObjectMapper
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import kotlin.test.assertEquals
import org.junit.jupiter.api.Test

class ItemsTest {
    private val client = HttpClient.newHttpClient()
    private val mapper = ObjectMapper()

    @Test
    fun reads() {
        val res = client.send(
            HttpRequest.newBuilder(URI.create("$BASE/items/4")).build(),
            HttpResponse.BodyHandlers.ofString(),
        )
        assertEquals(200, res.statusCode())
    }
}
---
import com.fasterxml.jackson.databind.ObjectMapper
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import kotlin.test.assertEquals
import org.junit.jupiter.api.Test

class ItemsTest {
    private val client = HttpClient.newHttpClient()
    private val mapper = ObjectMapper()

    @Test
    fun reads() {
        // flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
        val setup_0 =
            client.send(
                HttpRequest.newBuilder(URI.create("$BASE/items"))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("""{"a": "b"}"""))
                    .build(),
                HttpResponse.BodyHandlers.ofString(),
            )
        // flaketap: the set-up has to succeed
        assertEquals(201, setup_0.statusCode())
        val setup_itemId = mapper.readTree(setup_0.body()).at("/id").asText()

        try {
            val res = client.send(
                HttpRequest.newBuilder(URI.create("$BASE/items/$setup_itemId")).build(),
                HttpResponse.BodyHandlers.ofString(),
            )
            assertEquals(200, res.statusCode())
        } finally {
            client.send(
                HttpRequest.newBuilder(URI.create("$BASE/items/$setup_itemId")).DELETE().build(),
                HttpResponse.BodyHandlers.ofString(),
            )
        }
    }
}

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
import io.restassured.RestAssured
import io.restassured.http.ContentType
import org.junit.jupiter.api.Test

class ItemsTest {
    @Test
    fun reads() {
        // flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
        val setup_0 =
            RestAssured.given().contentType(ContentType.JSON).body("""{"a": "b"}""").post("/items")
        // flaketap: the set-up has to succeed
        setup_0.then().statusCode(201)
        val setup_itemId = setup_0.path<Any>("id").toString()

        try {
            RestAssured.given().accept(ContentType.JSON).get("/items/{id}", setup_itemId.toInt())
                .then().statusCode(200)
        } finally {
            RestAssured.given().delete("/items/$setup_itemId")
        }
    }
}

=== expression
import io.restassured.RestAssured.given
import org.junit.jupiter.api.Test

class ItemsTest {
    @Test
    fun reads() = given().get("/items/4").then().statusCode(200)
}
---
refused: its statements do not stand on lines of their own

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
refused: the test sends no request of its own by REST-assured's chains or java.net.http

=== handed on
import io.restassured.RestAssured.given
import org.junit.jupiter.api.Test

class ItemsTest {
  companion object {
    var made = ""
  }

  @Test
  fun uses() {
    given().get("/" + made).then().statusCode(200)
  }

  @Test
  fun reads() {
    made = given().get("/items/4").then().statusCode(200).extract().path("id")
  }
}
---
refused: it shares the field made with other tests
