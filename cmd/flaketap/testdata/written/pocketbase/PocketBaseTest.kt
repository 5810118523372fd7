package pocketbase

import io.restassured.RestAssured
import io.restassured.RestAssured.given
import io.restassured.http.ContentType
import io.restassured.path.json.JsonPath
import org.hamcrest.Matchers.equalTo
import org.hamcrest.Matchers.hasSize
import org.hamcrest.Matchers.`is`
import org.hamcrest.Matchers.matchesRegex
import org.hamcrest.Matchers.nullValue
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.MethodOrderer
import org.junit.jupiter.api.Order
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestMethodOrder
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandlers
import kotlin.test.assertContains
import kotlin.test.assertContentEquals
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNotNull
import kotlin.test.assertTrue

/** An account that is logged in. */
data class Session(val token: String, val id: String)

/** PocketBase with posts and comments, as I found it on a Wednesday. */
@TestMethodOrder(MethodOrderer.OrderAnnotation::class)
class PocketBaseTest {
    companion object {
        private val base = (System.getenv("FLAKETAP_URL") ?: "http://127.0.0.1:8090").trimEnd('/')
        private val client = HttpClient.newHttpClient()

        private const val USERS = "/api/collections/users"
        private const val POSTS = "/api/collections/posts/records"
        private const val COMMENTS = "/api/collections/comments/records"

        @JvmStatic
        @BeforeAll
        fun connect() {
            RestAssured.baseURI = base
        }
    }

    private fun send(
        method: String,
        path: String,
        body: String? = null,
        token: String? = null,
    ): HttpResponse<String> {
        val publisher =
            if (body == null) HttpRequest.BodyPublishers.noBody() else HttpRequest.BodyPublishers.ofString(body)
        val request =
            HttpRequest
                .newBuilder(URI.create(base + path))
                .header("Content-Type", "application/json")
                .method(method, publisher)
        if (token != null) request.header("Authorization", token)
        return client.send(request.build(), BodyHandlers.ofString())
    }

    private fun HttpResponse<String>.json() = JsonPath(body())

    private fun signUp(name: String): HttpResponse<String> =
        send(
            "POST",
            "$USERS/records",
            """
            {
              "name": "$name",
              "email": "${name.lowercase()}@example.com",
              "password": "hopper1906",
              "passwordConfirm": "hopper1906"
            }
            """.trimIndent(),
        )

    private fun logIn(name: String): Session {
        val response =
            send(
                "POST",
                "$USERS/auth-with-password",
                """{"identity": "${name.lowercase()}@example.com", "password": "hopper1906"}""",
            )
        assertEquals(200, response.statusCode())
        val json = response.json()
        return Session(json.getString("token"), json.getString("record.id"))
    }

    private fun write(
        session: Session,
        title: String,
        views: Int = 5,
    ): JsonPath =
        given()
            .contentType(ContentType.JSON)
            .header("Authorization", session.token)
            .body("""{"title": "$title", "views": $views, "author": "${session.id}"}""")
            .post(POSTS)
            .jsonPath()

    @Test
    @Order(1)
    fun `it is healthy`() {
        val response = send("GET", "/api/health")
        assertEquals(200, response.statusCode())
        assertEquals("API is healthy.", response.json().getString("message"))
        assertEquals("Wed, 25 Nov 2026 15:55:31 GMT", response.headers().firstValue("Date").get())
        assertEquals("51", response.headers().firstValue("Content-Length").orElse(null))
    }

    @Test
    @Order(2)
    fun `there is nothing elsewhere`() {
        given()
            .get("/api/nothing")
            .then()
            .statusCode(404)
            .body("status", equalTo(404))
            .body("message", equalTo("The requested resource wasn't found."))
    }

    @Test
    @Order(3)
    fun `Grace signs up`() {
        val response = signUp("Grace")
        assertEquals(200, response.statusCode())
        with(response.json()) {
            assertEquals("x5ve6ppt59qe0b4", getString("id"))
            assertEquals("Grace", getString("name"))
            assertEquals("users", getString("collectionName"))
            assertEquals("2026-11-25 15:55:33.590Z", getString("created"))
            assertEquals("2026-11-25 15:55:33.590Z", getString("updated"))
            assertFalse(getBoolean("verified"))
            assertFalse(getBoolean("emailVisibility"))
        }
    }

    @Test
    @Order(4)
    fun `Grace signs up again`() {
        val response = signUp("Grace")
        assertEquals(400, response.statusCode())
        val error = response.json()
        assertEquals("Failed to create record.", error.getString("message"))
        assertEquals(
            mapOf("code" to "validation_not_unique", "message" to "Value must be unique."),
            error.getMap<String, String>("data.email"),
        )
    }

    @Test
    @Order(5)
    fun `a password is too short`() {
        given()
            .contentType(ContentType.JSON)
            .body("""{"email": "joan@example.com", "password": "joan", "passwordConfirm": "joan"}""")
            .`when`()
            .post("$USERS/records")
            .then()
            .statusCode(400)
            .body("data.password.code", equalTo("validation_min_text_constraint"))
            .body("data.password.message", equalTo("Must be at least 8 character(s)."))
            .body("data.email", nullValue())
    }

    @Test
    @Order(6)
    fun `Grace logs in`() {
        val response =
            send("POST", "$USERS/auth-with-password", """{"identity":"grace@example.com","password":"hopper1906"}""")
        assertEquals(200, response.statusCode())
        val json = response.json()
        val token = json.getString("token")
        assertTrue(token.startsWith("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."))
        assertEquals(224, token.length)
        val record = json.getMap<String, Any>("record")
        assertEquals("x5ve6ppt59qe0b4", record["id"])
        assertEquals("grace@example.com", record["email"])
        assertEquals("2026-11-25 15:55:33.590Z", record["created"])
    }

    @Test
    @Order(7)
    fun `Grace forgot her password`() {
        given()
            .contentType(ContentType.JSON)
            .body("""{"identity": "grace@example.com", "password": "cobol"}""")
            .post("$USERS/auth-with-password")
            .then()
            .statusCode(400)
            .body(equalTo("""{"data":{},"message":"Failed to authenticate.","status":400}""" + "\n"))
    }

    @Test
    @Order(8)
    fun `Grace stays logged in`() {
        val grace = logIn("Grace")
        val response = send("POST", "$USERS/auth-refresh", token = grace.token)
        assertEquals(200, response.statusCode())
        val (token, id) = response.json().let { Session(it.getString("token"), it.getString("record.id")) }
        assertEquals(
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJjb2xsZWN0aW9uSWQiOiJfcGJfdXNlcnNfYXV0aF8iLCJleHAiOjE3OTYy" +
                "MjY5MzUsImlkIjoieDV2ZTZwcHQ1OXFlMGI0IiwicmVmcmVzaGFibGUiOnRydWUsInR5cGUiOiJhdXRoIn0." +
                "PP7YbfS51IlXEmZw6hqk6G-W-ih-kd4eNP_HdzMrTxE",
            token,
        )
        assertEquals(grace.id, id)
    }

    @Test
    @Order(9)
    fun `Grace writes a post`() {
        val grace = logIn("Grace")
        val post = write(grace, "On compilers", 7)
        assertEquals("q6qrg0mvb3oepuf", post["id"])
        assertEquals("On compilers", post["title"])
        assertEquals(7, post.getInt("views"))
        assertEquals("x5ve6ppt59qe0b4", post["author"])
        assertEquals("", post["scan"])
        assertEquals("2026-11-25 15:55:35.229Z", post["created"])
        assertEquals(post.getString("created"), post.getString("updated"))
    }

    @Test
    @Order(10)
    fun `a post is read`() {
        val id = write(logIn("Grace"), "On bugs").getString("id")
        given()
            .get("$POSTS/$id")
            .then()
            .statusCode(200)
            .body("id", equalTo(id))
            .body("title", equalTo("On bugs"))
            .body("views", `is`(5))
            .body("collectionName", `is`("posts"))
            .body("created", `is`("2026-11-25 15:55:35.466Z"))
            .body("updated", matchesRegex("2026-11-25 .*Z"))
    }

    @Test
    @Order(11)
    fun `a post is read with its author`() {
        val id = write(logIn("Grace"), "On moths").getString("id")
        val post = send("GET", "$POSTS/$id?expand=author").json()
        val author = post.getMap<String, Any>("expand.author")
        assertEquals("h95zlkkzwa3yoo3", post.getString("id"))
        assertEquals("Grace", author["name"])
        assertEquals("x5ve6ppt59qe0b4", author["id"])
        assertEquals(post.getString("author"), author["id"])
    }

    @ParameterizedTest
    @Order(12)
    @CsvSource(
        "'', validation_required",
        "On COBOL and all that came of it in the years that followed then, validation_max_text_constraint",
    )
    fun `a title is refused`(
        title: String,
        code: String,
    ) {
        val error = write(logIn("Grace"), title)
        assertEquals(400, error.getInt("status"))
        assertEquals("Failed to create record.", error.getString("message"))
        assertEquals(code, error.getString("data.title.code"))
    }

    @Test
    @Order(13)
    fun `nobody writes nothing`() {
        val response = send("POST", POSTS, """{"title": "Nothing", "author": "x5ve6ppt59qe0b4"}""")
        assertEquals(400, response.statusCode())
        assertContains(response.body(), "Failed to create record.")
    }

    @Test
    @Order(14)
    fun `a post is changed`() {
        val grace = logIn("Grace")
        val post = write(grace, "On clocks", 7)
        val response = send("PATCH", "$POSTS/${post.getString("id")}", """{"views+": 2}""", grace.token)
        assertEquals(200, response.statusCode())
        val changed = response.json()
        assertEquals("y3dc8xlalh8f2xe", changed.getString("id"))
        assertEquals(9, changed.getInt("views"))
        assertEquals("On clocks", changed.getString("title"))
        assertEquals("2026-11-25 15:55:36.921Z", changed.getString("updated"))
        assertEquals(post.getString("created"), changed.getString("created"))
    }

    @Test
    @Order(15)
    fun `Joan comments`() {
        val joan = signUp("Joan").json().getString("id")
        assertEquals("fbmp3xeco0xy02w", joan)
        val post = write(logIn("Grace"), "On comments").getString("id")
        val session = logIn("Joan")
        val made =
            send("POST", COMMENTS, """{"text": "Well said.", "post": "$post", "author": "$joan"}""", session.token)
        assertEquals(200, made.statusCode())
        val comment = made.json()
        assertEquals("46jrvz9pe8v1xl0", comment.getString("id"))
        assertEquals("Well said.", comment.getString("text"))
        assertEquals("525v5ll7r1ba0g8", comment.getString("post"))
        val filter = URLEncoder.encode("post='$post'", "UTF-8")
        val found = send("GET", "$COMMENTS?filter=$filter").json()
        assertEquals(1, found.getInt("totalItems"))
        assertEquals("46jrvz9pe8v1xl0", found.getString("items[0].id"))
        assertEquals(joan, found.getString("items[0].author"))
    }

    @Test
    @Order(16)
    fun `Joan may not change what Grace wrote`() {
        val id: String = write(logIn("Grace"), "On property")["id"]
        val response = send("PATCH", "$POSTS/$id", """{"title": "Mine"}""", logIn("Joan").token)
        assertEquals(404, response.statusCode())
        assertEquals("On property", send("GET", "$POSTS/$id").json()["title"])
    }

    @Test
    @Order(17)
    fun `posts by title`() {
        val page =
            given()
                .queryParam("sort", "title")
                .queryParam("perPage", 3)
                .get(POSTS)
                .then()
                .statusCode(200)
                .body("items", hasSize<Any>(3))
                .extract()
                .jsonPath()
        assertEquals(6, page.getInt("totalItems"))
        assertEquals(2, page.getInt("totalPages"))
        assertEquals(listOf("On bugs", "On clocks", "On comments"), page.getList<String>("items.title"))
        assertContentEquals(listOf(5, 9, 5), page.getList<Int>("items.views"))
        val first = page.getList<Map<String, Any>>("items").first()
        assertEquals("tm6o80td2bd81dt", first["id"])
        assertEquals("2026-11-25 15:55:35.466Z", first["created"])
    }

    @Test
    @Order(18)
    fun `people by name`() {
        val people = send("GET", "$USERS/records?sort=-name").json().getList<Map<String, String>>("items")
        assertEquals(listOf("Joan", "Grace"), people.map { it["name"] })
        assertEquals(listOf("fbmp3xeco0xy02w", "x5ve6ppt59qe0b4"), people.map { it["id"] })
        assertNotNull(people.find { it["created"] == "2026-11-25 15:55:33.590Z" })
    }

    @Test
    @Order(19)
    fun `a post is deleted`() {
        val grace = logIn("Grace")
        val id = write(grace, "On leaving").getString("id")
        val gone = send("DELETE", "$POSTS/$id", token = grace.token)
        assertEquals(204, gone.statusCode())
        assertTrue(gone.body().isEmpty())
        assertEquals(404, send("GET", "$POSTS/$id").statusCode())
    }

    @Test
    @Order(20)
    fun `only superusers list collections`() {
        given()
            .get("/api/collections")
            .then()
            .statusCode(401)
            .body("message", equalTo("The request requires valid record authorization token."))
    }
}
