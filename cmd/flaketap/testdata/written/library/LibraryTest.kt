package library

import io.restassured.RestAssured
import io.restassured.RestAssured.given
import io.restassured.RestAssured.`when`
import io.restassured.http.ContentType
import io.restassured.path.json.JsonPath
import io.restassured.response.Response
import org.hamcrest.Matchers.contains
import org.hamcrest.Matchers.equalTo
import org.hamcrest.Matchers.everyItem
import org.hamcrest.Matchers.greaterThan
import org.hamcrest.Matchers.hasSize
import org.hamcrest.Matchers.startsWith
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.MethodOrderer
import org.junit.jupiter.api.Order
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestMethodOrder
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** What the library's API said on the day I tried it. */
@TestMethodOrder(MethodOrderer.OrderAnnotation::class)
class LibraryTest {
    private val http: HttpClient = HttpClient.newHttpClient()

    companion object {
        private val base = System.getenv("FLAKETAP_URL") ?: "http://localhost:3000"

        @JvmStatic
        @BeforeAll
        fun useTheLibrary() {
            RestAssured.baseURI = base
        }
    }

    private fun load(path: String): HttpResponse<String> =
        http.send(HttpRequest.newBuilder(URI.create(base + path)).build(), HttpResponse.BodyHandlers.ofString())

    private fun json(path: String): JsonPath {
        val response = load(path)
        assertEquals(200, response.statusCode())
        return JsonPath.from(response.body())
    }

    private fun post(
        path: String,
        body: String,
    ): Response = given().contentType(ContentType.JSON).body(body).post(path)

    /** Lends a book to member 11. */
    private fun lend(book: Int): JsonPath {
        val response =
            post("/loans", """{"memberId": 11, "bookId": $book, "dueOn": "2026-12-16", "returned": false}""")
        assertEquals(201, response.statusCode)
        return response.jsonPath()
    }

    @Test
    @Order(1)
    fun `the library has settings`() {
        `when`()
            .get("/settings")
            .then()
            .statusCode(200)
            .header("Date", "Tue, 24 Nov 2026 11:12:24 GMT")
            .header("Content-Length", "486")
            .body("name", equalTo("Harbour Street Library"))
            .body("loanDays", equalTo(21))
            .body("finePerDay", equalTo(0.25f))
            .body("openingHours.day", contains("Mon", "Wed", "Fri", "Sat"))
            .body("openingHours[3].closes", equalTo("14:00"))
    }

    @Test
    @Order(2)
    fun `an author`() {
        val author = json("/authors/5")
        assertEquals("Lars Tveit", author.getString("name"))
        assertEquals("1957-09-08", author.getString("born"))
        assertEquals(listOf(2002, 2005), author.getList<Int>("awards.year"))
        assertEquals("Lantern Prize", author.getString("awards[0].name"))
    }

    @Test
    @Order(3)
    fun `nobody is author 99`() {
        val response = load("/authors/99")
        assertEquals(404, response.statusCode())
        assertEquals("{}", response.body())
    }

    @Test
    @Order(4)
    fun `the longest books of history`() {
        given()
            .queryParams("genre", "history", "_sort", "pages", "_order", "desc", "_limit", 3)
            .get("/books")
            .then()
            .statusCode(200)
            .header("X-Total-Count", equalTo("6"))
            .body("title", contains("Nine Rooms", "The Long Meadow", "Murder on the Night Ferry"))
            .body("pages", contains(641, 507, 431))
            .body("genre", everyItem(equalTo("history")))
            .body("[0].tags", hasSize<String>(3))
    }

    @Test
    @Order(5)
    fun `the fourth page of books`() {
        val response = load("/books?_page=4&_limit=5")
        val headers = response.headers()
        assertEquals("32", headers.firstValue("X-Total-Count").get())
        assertEquals(
            "<http://localhost:3000/books?_page=1&_limit=5>; rel=\"first\", " +
                "<http://localhost:3000/books?_page=3&_limit=5>; rel=\"prev\", " +
                "<http://localhost:3000/books?_page=5&_limit=5>; rel=\"next\", " +
                "<http://localhost:3000/books?_page=7&_limit=5>; rel=\"last\"",
            headers.firstValue("Link").orElse(""),
        )
        val books = JsonPath.from(response.body())
        assertEquals(listOf(16, 17, 18, 19, 20), books.getList<Int>("id"))
        assertEquals("What the Tide Left", books.getString("[1].title"))
        assertEquals(35.06f, books.getFloat("[1].price"))
    }

    @ParameterizedTest
    @ValueSource(ints = [1, 4, 7])
    @Order(6)
    fun `pages of five books`(page: Int) {
        val response = given().queryParam("_page", page).queryParam("_limit", 5).get("/books")
        assertEquals("32", response.header("X-Total-Count"))
        assertEquals(200, response.statusCode)
    }

    @Test
    @Order(7)
    fun `a member`() {
        with(json("/members/8")) {
            assertEquals("Hiro Tanaka", getString("name"))
            assertEquals("hiro@readers.example", getString("email"))
            assertEquals("2017-01-03T08:02:09Z", getString("joinedAt"))
            assertTrue(getBoolean("active"))
            assertEquals(29.82f, getFloat("balance"))
            assertEquals("37 Quay Street", getString("address.street"))
            assertEquals(listOf("crime", "novel"), getList<String>("interests"))
        }
    }

    @Test
    @Order(8)
    fun `members who left`() {
        val names: List<String> = given().get("/members?active=false").path("name")
        assertEquals(listOf("David Osei", "Isla Fraser", "Noah Weber"), names)
    }

    @Test
    @Order(9)
    fun `a loan with its book`() {
        `when`()
            .get("/loans/{id}?_expand=book", "L-0007")
            .then()
            .body("returned", equalTo(true))
            .body("returnedAt", equalTo("2024-07-11T18:18:18Z"))
            .body("fine", equalTo(0.5f))
            .body("book.title", equalTo("The Glass Orchard"))
            .body("book.isbn", startsWith("978-3-06769"))
    }

    @Test
    @Order(10)
    fun `a publisher with its books`() {
        val publisher = json("/publishers/2?_embed=books")
        assertEquals("Harbour & Sons", publisher.getString("name"))
        assertEquals(1887, publisher.getInt("founded"))
        assertEquals(2, publisher.getList<Any>("books").size)
        assertEquals(listOf("The Accountant of Bergen", "Nine Rooms"), publisher.getList<String>("books.title"))
    }

    @Test
    @Order(11)
    fun `overdue loans`() {
        val loans = json("/loans?returned=false&_sort=dueOn&_limit=2")
        assertEquals(listOf("L-0004", "L-0013"), loans.getList<String>("id"))
        assertNull(loans.getString("[0].returnedAt"))
        assertEquals("2024-02-11", loans.getString("[0].dueOn"))
    }

    @Test
    @Order(12)
    fun `a new author`() {
        val response = post("/authors", """{"name": "Nora Quist", "country": "Sweden", "born": "1984-09-30", "awards": []}""")
        assertEquals(201, response.statusCode)
        assertEquals("http://localhost:3000/authors/13", response.header("Location"))
        val author = response.jsonPath()
        assertEquals(13, author.getInt("id"))
        assertEquals("Nora Quist", author.getString("name"))
        assertTrue(author.getList<Any>("awards").isEmpty())
    }

    @Test
    @Order(13)
    fun `the new author is the only Swede`() {
        val authors = json("/authors?country=Sweden")
        assertEquals(1, authors.getList<Any>("$").size)
        assertEquals("Nora Quist", authors.getString("[0].name"))
        assertEquals(13, authors.getInt("[0].id"))
    }

    @Test
    @Order(14)
    fun `lends a book`() {
        val loan = lend(14)
        assertEquals("yFrx5d0", loan.getString("id"))
        assertEquals(14, loan.getInt("bookId"))
        assertEquals("2026-12-16", loan.getString("dueOn"))
        assertFalse(loan.getBoolean("returned"))
    }

    @Test
    @Order(15)
    fun `a loan can be read again`() {
        val id = lend(15).getString("id")
        assertEquals(7, id.length)
        val again = json("/loans/$id")
        assertEquals(id, again.getString("id"))
        assertEquals("b_T0qRz", again.getString("id"))
        assertEquals(15, again.getInt("bookId"))
    }

    @Test
    @Order(16)
    fun `takes a book back`() {
        val id: String = lend(16).get("id")
        given()
            .contentType(ContentType.JSON)
            .body("""{"returned": true, "fine": 0.75}""")
            .`when`()
            .patch("/loans/$id")
            .then()
            .statusCode(200)
            .body("id", equalTo("Lm9-2Xc"))
            .body("returned", equalTo(true))
            .body("fine", equalTo(0.75f))
            .body("dueOn", equalTo("2026-12-16"))
    }

    @Test
    @Order(17)
    fun `all that member 11 has`() {
        val loans = json("/loans?memberId=11&dueOn=2026-12-16")
        assertEquals(listOf("yFrx5d0", "b_T0qRz", "Lm9-2Xc"), loans.getList<String>("id"))
        assertEquals(listOf(14, 15, 16), loans.getList<Int>("bookId"))
        assertTrue(loans.getBoolean("[2].returned"))
    }

    @Test
    @Order(18)
    fun `writes a review anew`() {
        given()
            .contentType("application/json")
            .body("""{"bookId": 2, "rating": 2, "text": "Not for me."}""")
            .put("/reviews/4")
            .then()
            .statusCode(200)
            .body("id", equalTo(4))
            .body("rating", equalTo(2))
            .body("text", equalTo("Not for me."))
    }

    @Test
    @Order(19)
    fun `deletes a review`() {
        val gone = given().delete("/reviews/6")
        assertEquals(200, gone.statusCode)
        assertEquals("{}", gone.asString())
        assertEquals(404, load("/reviews/6").statusCode())
        given().get("/reviews").then().body("size()", equalTo(17)).body("id", everyItem(greaterThan(0)))
    }
}
