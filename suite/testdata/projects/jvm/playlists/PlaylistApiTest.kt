package fm.music.api

import io.restassured.RestAssured
import io.restassured.http.ContentType
import io.restassured.module.kotlin.extensions.Extract
import io.restassured.module.kotlin.extensions.Given
import io.restassured.module.kotlin.extensions.Then
import io.restassured.module.kotlin.extensions.When
import org.hamcrest.Matchers.containsString
import org.hamcrest.Matchers.equalTo
import org.hamcrest.Matchers.hasItem
import org.hamcrest.Matchers.hasSize
import org.hamcrest.Matchers.`is`
import org.hamcrest.Matchers.notNullValue
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import kotlin.test.assertEquals
import kotlin.test.assertTrue

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlaylistApiTest {

    @BeforeAll
    fun setUp() {
        RestAssured.baseURI = "http://localhost:6060/api"
        RestAssured.enableLoggingOfRequestAndResponseIfValidationFails()
    }

    private fun newPlaylist(name: String): String =
        Given {
            contentType(ContentType.JSON)
            body(mapOf("name" to name, "public" to true))
        } When {
            post("/playlists")
        } Then {
            statusCode(201)
        } Extract {
            path("id")
        }

    @Test
    fun `lists playlists`() {
        Given {
            queryParam("limit", 2)
        } When {
            get("/playlists")
        } Then {
            statusCode(200)
            contentType(ContentType.JSON)
            body("items", hasSize<Any>(2))
            body("items[0].name", equalTo("Monday"))
            body("items.name", hasItem("Tuesday"))
            body("total", `is`(14))
            header("X-Next", "/api/playlists?offset=2")
        }
    }

    @Test
    fun `creates a playlist`() {
        val id = newPlaylist("Rainy days")

        When {
            get("/playlists/$id")
        } Then {
            statusCode(200)
            body("id", equalTo(id))
            body("name", equalTo("Rainy days"))
            body("public", equalTo(true))
            body("created", equalTo("2025-05-05T05:05:05Z"))
            body("tracks", hasSize<Any>(0))
            body("owner.name", notNullValue())
        }
    }

    @Test
    fun `adds a track`() {
        val id = newPlaylist("Work")
        val response = RestAssured.given()
            .contentType(ContentType.JSON)
            .body("""{"track": "tr-9", "position": 1}""")
            .`when`()
            .post("/playlists/{id}/tracks", id)
            .then()
            .statusCode(200)
            .body("tracks[0].id", `is`("tr-9"))
            .extract()
            .response()

        assertEquals(1, response.jsonPath().getInt("count"))
        assertEquals("tr-9", response.path("tracks[0].id"))
        assertEquals(listOf("tr-9"), response.jsonPath().getList<String>("tracks.id"))
        assertEquals("v2", response.header("ETag"))
        assertTrue(response.jsonPath().getBoolean("changed"))
    }

    @Test
    fun `says what is wrong`() {
        Given {
            contentType(ContentType.JSON).body("{}")
        } When {
            post("/playlists")
        } Then {
            statusCode(400)
            body("errors[0].field", equalTo("name"))
            body("errors[0].message", containsString("must not be blank"))
            body("errors.size()", equalTo(1))
        }
    }
}
