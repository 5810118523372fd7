@file:Suppress("unused")

package shop

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import io.restassured.RestAssured
import io.restassured.RestAssured.given
import io.restassured.RestAssured.`when`
import io.restassured.http.ContentType
import io.restassured.module.kotlin.extensions.Extract
import io.restassured.module.kotlin.extensions.Given
import io.restassured.module.kotlin.extensions.Then
import io.restassured.module.kotlin.extensions.When
import io.restassured.path.json.JsonPath
import io.restassured.response.Response
import io.restassured.specification.RequestSpecification
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import org.assertj.core.api.Assertions.assertThat
import org.hamcrest.Matchers.*
import org.json.JSONObject
import org.junit.jupiter.api.*
import org.junit.jupiter.api.Assertions.assertAll
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue

private const val LIMIT = 2

fun Response.id(): Int = path("id")

/** Tests as somebody wrote them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class WrittenTest : Base(), AutoCloseable {
    private val mapper = ObjectMapper()
    private val client: HttpClient = HttpClient.newHttpClient()
    private val http by lazy { OkHttpClient() }
    private lateinit var spec: RequestSpecification
    private val port: Int
        get() = 8080
    private var token: String? = null

    companion object {
        private val BASE = System.getenv("SHOP_URL") ?: "http://localhost:8080"

        @JvmStatic
        @BeforeAll
        fun base() {
            RestAssured.baseURI = BASE
            RestAssured.basePath = "/api"
        }
    }

    @BeforeEach
    fun setUp() {
        token = login()
        spec = given().header("Authorization", "Bearer $token").accept(ContentType.JSON)
    }

    private fun login(email: String = "ada@cafe.de", password: String = "lovelace"): String =
        given()
            .contentType(ContentType.JSON)
            .body(mapOf("email" to email, "password" to password))
            .`when`()
            .post("/login")
            .then()
            .statusCode(200)
            .extract()
            .path("token")

    private fun send(path: String): HttpResponse<String> {
        val req = HttpRequest.newBuilder(URI.create("$BASE$path")).header("Accept", "application/json").GET().build()
        return client.send(req, HttpResponse.BodyHandlers.ofString())
    }

    override fun close() {}

    @Test
    fun `lists the products`() {
        given()
            .queryParam("limit", LIMIT)
            .`when`()
            .get("/products")
            .then()
            .statusCode(200)
            .contentType(ContentType.JSON)
            // the first one
            .body("products", hasSize<Any>(2))
            .body("products[0].name", equalTo("Coffee"))
            .body("products.id", hasItems(1, 2))
            .body("total", `is`(7), "next", nullValue())
            .header("X-Request-Id", "abc")
    }

    @Test
    @DisplayName("one product")
    fun one() {
        val r = `when`().get("/products/{id}", 1)
        assertEquals(200, r.statusCode, "the shop is down")
        r.then().body("name", equalTo("Coffee")).body("id", notNullValue())
        val json: JsonPath = r.jsonPath()
        assertEquals("Coffee", json.getString("name"))
        assertEquals(expected = 3, actual = json.getInt("stock"))
        assertEquals(listOf("hot", "black"), json.getList<String>("tags"))
        val at = json.getString("made.at")!!
        assertNotNull(at)
        assertTrue(at.startsWith("2026-"), "made this year")
        assertTrue { at.endsWith("Z") }
        assertContains(at, "2026")
        assertThat(json.getString("colour")).isEqualTo("brown").isNotNull.startsWith("b")
        assertThat(r.path<Int>("price"))
            .`as`("the price")
            .isGreaterThan(1)
        assertNull(r.path<String?>("deleted"))
        assertFalse("secret" in r.asString())
        assertEquals(1, r.id())
        if (json.getInt("stock") > 0) assertEquals("yes", json.getString("sells"))
        for (tag in json.getList<String>("tags")) {
            assertEquals("hot", tag)
        }
        when (r.statusCode) {
            200 -> assertEquals("x", r.path("y"))
            else -> fail("another status")
        }
        val colour = if (json.getInt("stock") > 0) "red" else "brown"
        assertEquals(colour, json.getString("colour"))
        json.getList<String>("tags").forEach { assertEquals("hot", it) }
        r.path<String?>("maybe")?.let { assertEquals("m", it) }
    }

    @Test
    fun order() {
        val id =
            given()
                .spec(spec)
                .contentType("application/json")
                .body(
                    """
                    {
                      "product": 1,
                      "quantity": $LIMIT
                    }
                    """.trimIndent(),
                ).post("/orders")
                .then()
                .statusCode(201)
                .body("state", equalTo("pending"))
                .extract()
                .path<Int>("id")
        val got = given().spec(spec).pathParam("id", id).get("/orders/{id}")
        assertEquals(id, got.path("id"))
        assertAll(
            { assertEquals("pending", got.path("state")) },
            { assertEquals("2026-01-01T00:00:00Z", got.path<String>("createdAt")) },
        )
        assertEquals(404, given().get("/orders/0").statusCode())
    }

    @Test
    fun plain() {
        val res = send("/health")
        assertEquals(200, res.statusCode())
        val body = mapper.readTree(res.body())
        assertEquals("ok", body["status"].asText())
        assertEquals(2, body.path("checks").size())
        assertEquals("up", body.at("/checks/0/state").asText())
        assertEquals("application/json", res.headers().firstValue("Content-Type").orElse(null))
        val (status, text) = fetch("/version")
        assertEquals(200, status)
        assertEquals("1.2", JSONObject(text).getString("version"))
    }

    private fun fetch(path: String): Pair<Int, String> {
        val res = send(path)
        return res.statusCode() to res.body()
    }

    @Test
    fun okHttp() {
        val request =
            Request.Builder()
                .url("$BASE/orders")
                .post("""{"product": 1}""".toRequestBody("application/json".toMediaType()))
                .build()
        http.newCall(request).execute().use { response ->
            assertEquals(201, response.code)
            assertTrue(response.isSuccessful)
            assertEquals("application/json", response.header("Content-Type"))
            val made = JSONObject(response.body!!.string())
            assertEquals("pending", made.getString("state"))
        }
    }

    @Test
    fun extensions() {
        val name: String =
            Given {
                spec(spec)
                queryParam("limit", 1)
            } When {
                get("/products/1")
            } Then {
                statusCode(200)
                body("name", equalTo("Coffee"))
            } Extract {
                path("name")
            }
        assertEquals("Coffee", name)
    }

    @Test
    fun expression() = given().get("/a").then().body("a", equalTo(1)).extract().response().run { assertEquals(200, statusCode) }

    @ParameterizedTest
    @ValueSource(ints = [1, 2])
    fun many(id: Int) {
        given().get("/products/$id").then().statusCode(200).body("id", equalTo(id))
    }

    @Nested
    inner class Inner {
        @Test
        @Disabled
        fun off() {
            RestAssured.get("/off").then().assertThat().statusCode(HttpStatus.SC_NO_CONTENT).and().body(emptyString())
        }
    }
}
