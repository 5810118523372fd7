package shop

import io.restassured.RestAssured
import io.restassured.RestAssured.get
import io.restassured.RestAssured.given
import io.restassured.RestAssured.`when`
import io.restassured.http.ContentType
import io.restassured.path.json.JsonPath
import io.restassured.response.Response
import io.restassured.specification.RequestSpecification
import org.hamcrest.MatcherAssert.assertThat
import org.hamcrest.Matchers.*
import org.junit.jupiter.api.Assertions.assertAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
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

/** Tests of the shop as somebody wrote them on a Monday: every value is asserted as it was seen then. */
internal class ShopTest {
    private val client = HttpClient.newHttpClient()

    companion object {
        private val BASE = System.getenv("FLAKETAP_URL") ?: "http://localhost:8080"

        @JvmStatic
        @BeforeAll
        fun pointAtTheShop() {
            RestAssured.baseURI = BASE
        }
    }

    private fun login(email: String = "ada@cafe.de"): String =
        given()
            .contentType(ContentType.JSON)
            .body("""{"email": "$email", "password": "lovelace"}""")
            .post("/login")
            .then()
            .statusCode(200)
            .extract()
            .path("token")

    private fun asAda(): RequestSpecification =
        given().header("Authorization", "Bearer ${login()}").contentType(ContentType.JSON)

    private fun fetch(path: String): HttpResponse<String> {
        val request = HttpRequest.newBuilder(URI("$BASE$path")).header("Accept", "application/json").build()
        return client.send(request, HttpResponse.BodyHandlers.ofString())
    }

    @Nested
    @DisplayName("the health of the shop")
    inner class Health {
        @Test
        fun `tells how it is`() {
            given()
                .accept(ContentType.JSON)
                .`when`()
                .get("/health")
                .then()
                .statusCode(200)
                .contentType(ContentType.JSON)
                .body("status", equalTo("ok"))
                .body("version", `is`("1.4.2"))
                .body("uptimeSeconds", equalTo(0.99380296f))
                .body("checks.name", contains("store", "clock"))
                .body("checks", hasSize<Any>(2))
                .body("clock.today", equalTo("2026-11-23"))
                .body("clock.epochText", equalTo("1795441753"))
        }

        @Test
        fun clock() {
            val res = fetch("/health")
            assertEquals(200, res.statusCode(), "the shop is down")
            assertEquals("application/json", res.headers().firstValue("Content-Type").orElse(null))
            assertEquals("Mon, 23 Nov 2026 13:49:13 GMT", res.headers().firstValue("Date").get())
            val body = JsonPath.from(res.body())
            assertEquals("ok", body.getString("status"))
            assertEquals(1795441753, body.getLong("clock.epochSeconds"))
            assertEquals("1795441753", body.getString("clock.epochText"))
            assertEquals(listOf("store", "clock"), body.getList<String>("checks.name"))
            assertTrue(body.getDouble("uptimeSeconds") >= 0)
        }

        @Test
        fun uptime() {
            val text = fetch("/health/uptime").body()
            assertTrue(text.startsWith("up"), "it is down")
            assertContains(text, "up")
        }
    }

    @Test
    fun firstPage() {
        val res =
            given()
                .queryParam("limit", 2)
                .`when`()
                .get("/products")
        assertEquals(200, res.statusCode)
        val page = res.jsonPath()
        assertEquals(2, page.getList<Any>("items").size)
        assertEquals(7, page.getInt("total"))
        assertEquals("Notes on the Analytical Engine", page.getString("items[0].name"))
        assertEquals(2450, page.getInt("items[1].priceCents"))
        assertEquals(listOf("book", "game", "print", "record"), page.getList<String>("tags"))
    }

    @Test
    fun `shows a product`() {
        val res = `when`().get("/products/{id}", 1)
        res
            .then()
            .statusCode(200)
            .header("ETag", "\"p1-r1\"")
            .body("currency", equalTo("EUR"))
        val uuid = res.path<String>("uuid")
        assertEquals("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101", uuid)
        val views: Int = res.path("viewsSinceReset")
        assertEquals(1, views)
        assertThat(res.jsonPath().getString("stockCheckedAt"), `is`("2026-11-23T13:49:13Z"))
        assertEquals("2026-11-23T13:49:13Z", res.path("stockCheckedAt"))
    }

    @Test
    fun unknownProduct() {
        get("/products/4711")
            .then()
            .statusCode(404)
            .body("error.code", equalTo("not_found"))
            .body("error.message", equalTo("There is no such resource."))
    }

    @Test
    fun author() {
        val author = get("/authors/1").then().statusCode(200).extract().jsonPath()
        with(author) {
            assertEquals("Ada Lovelace", getString("name"))
            assertEquals("1815-12-10", getString("birthDate"))
            assertNotNull(getString("deathDate"))
        }
        assertNotNull(author.get<String?>("iban"))
    }

    @Test
    fun search() {
        val found = JsonPath(fetch("/search?q=notes").body())
        assertEquals("notes", found.get("query"))
        assertEquals(listOf("tag", "released", "author", "currency", "price"), found.getList<String>("facets"))
        val took = found.getLong("tookNanoseconds")
        assertEquals(40791, took)
    }

    @Test
    fun maybe() {
        val maybe = get("/odd/maybe").then().statusCode(200)
        maybe.body("name", equalTo("Maybe"))
        maybe.body("discount", nullValue())
        maybe.body("delivery", equalTo(3))
        assertNull(maybe.extract().path<String?>("coupon"))
    }

    @Test
    fun crash() {
        val res: Response = get("/debug/crash")
        assertEquals(500, res.statusCode)
        assertAll(
            { assertEquals("crash", res.path("error.code")) },
            { assertEquals("cannot render com.example.catalogue.Product@f5954acb", res.path("error.message")) },
            { assertEquals("http-nio-8080-exec-123", res.jsonPath().getString("error.thread"), "another thread") },
        )
    }

    @Test
    fun estimate() {
        given().get("/prices/estimate").then().statusCode(anyOf(`is`(200), `is`(400), `is`(422)))
    }

    @ParameterizedTest
    @CsvSource("/static/json,application/json", "/static/xml,application/xml")
    fun files(
        path: String,
        kind: String,
    ) {
        val res = get(path)
        assertEquals(200, res.statusCode)
        assertTrue(res.contentType.startsWith(kind))
    }

    @Test
    fun logsIn() {
        val ada =
            """
            {"email": "ada@cafe.de", "password": "lovelace"}
            """.trimIndent()
        val request =
            HttpRequest
                .newBuilder()
                .uri(URI.create("$BASE/login"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(ada))
                .build()
        val res = client.send(request, HttpResponse.BodyHandlers.ofString())
        assertEquals(200, res.statusCode())
        JsonPath.from(res.body()).run {
            assertEquals("ada@cafe.de", getString("email"))
            assertEquals("Bearer", getString("tokenType"))
            assertEquals(1795441753, getLong("issuedAt"))
            assertEquals(18, getInt("loginCount"), "the account was used")
            assertEquals(expected = 3600, actual = getInt("expiresIn"))
        }
    }

    @Test
    fun wrongPassword() {
        val body = """{"email": "ada@cafe.de", "password": "byron"}"""
        given().contentType("application/json").body(body).post("/login").then().statusCode(401)
    }

    @Test
    fun orders() {
        val res =
            asAda()
                .body("""{"items": [{"product": 1, "quantity": 1}, {"product": 3, "quantity": 2}], "note": "Ring twice."}""")
                .post("/orders")
        res
            .then()
            .statusCode(202)
            .body("number", equalTo("A-1001"))
            .body("state", equalTo("pending"))
            .body("totalCents", equalTo(9790))
            .body("id", equalTo("1f21fe5a-5fba-412f-95ec-12b5745db3f8"))
        val id = res.path<String>("id")
        val read = asAda().pathParam("id", id).get("/orders/{id}")
        assertEquals(200, read.statusCode())
        val again = read.jsonPath()
        assertEquals(id, again.getString("id"))
        assertEquals(res.path<String>("createdAt"), again.getString("createdAt"))
        assertEquals("2026-11-23T13:49:13Z", again.getString("createdAt"))
        assertEquals(1, again.getInt("items[0].quantity"))
        val state: String? = again.getString("state")
        assertEquals("pending", state)
    }

    @Test
    fun ordersOfNobody() {
        get("/orders").then().statusCode(401).body("error.code", `is`("unauthorized"))
    }

    @Test
    fun guestbook() {
        val book = get("/guestbook")
        val before = book.path<Int>("count")
        assertEquals(3, before)
        assertThat(book.jsonPath().getList("entries.author"), contains("Grace", "Linus", "Edsger"))
        val postedAt: String =
            given()
                .contentType(ContentType.JSON)
                .body("""{"author": "Ada", "text": "Hello."}""")
                .`when`()
                .post("/guestbook")
                .then()
                .statusCode(201)
                .body("text", equalTo("Hello."))
                .extract()
                .path("postedAt")
        assertEquals("2026-11-23T13:49:13.619262936Z", postedAt)
        get("/guestbook").then().body("count", equalTo(4))
    }

    @Test
    fun journal() {
        val journal = fetch("/journal")
        assertEquals(200, journal.statusCode())
        assertFalse(journal.body().isBlank())
        for (line in journal.body().split("\n")) {
            assertFalse(line.isEmpty())
        }
    }
}
