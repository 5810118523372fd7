package depot.api

import okhttp3.Response
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.Test

class WarehouseApiTest : ApiTestBase() {

    private var shelfId: Int = 0

    @BeforeEach
    fun createShelf() {
        val response = post("/shelves", """{"name": "A1", "slots": 12}""")
        assertThat(response.code).isEqualTo(201)
        shelfId = response.json()["id"].asInt()
    }

    @AfterEach
    fun removeShelf() {
        post("/shelves/$shelfId/remove", "{}").close()
    }

    @Test
    fun `a shelf is empty at first`() {
        get("/shelves/$shelfId").use { response ->
            val shelf = response.json()
            assertThat(response.code).isEqualTo(200)
            assertThat(response.header("Content-Type")).isEqualTo("application/json")
            assertThat(shelf["id"].asInt()).isEqualTo(shelfId)
            assertThat(shelf["name"].asText()).isEqualTo("A1")
            assertThat(shelf["pallets"]).isEmpty()
            assertThat(shelf["free"].asInt()).isEqualTo(12)
        }
    }

    @Nested
    inner class WithAPallet {

        private lateinit var stored: Response

        @BeforeEach
        fun store() {
            stored = post("/shelves/$shelfId/pallets", """{"goods": "tiles", "kg": 480}""")
        }

        @Test
        fun `the pallet has a slot`() {
            val pallet = stored.json()
            assertThat(stored.code).isEqualTo(201)
            assertThat(stored.isSuccessful).isTrue()
            assertThat(pallet["slot"].asInt()).isEqualTo(1)
            assertThat(pallet["barcode"].asText()).isEqualTo("4006381333931")
            assertThat(pallet["storedAt"].asText()).isEqualTo("2025-09-09T09:09:09.090Z")
            assertThat(pallet["kg"].asDouble()).isEqualTo(480.0)
        }

        @Test
        fun `the shelf has less room`() {
            val shelf = get("/shelves/$shelfId").json()
            assertThat(shelf["free"].asInt()).isEqualTo(11)
            assertThat(shelf["pallets"].size()).isEqualTo(1)
            assertThat(shelf["pallets"][0]["goods"].asText()).isEqualTo("tiles")
            assertThat(shelf.at("/load/kg").asInt()).isEqualTo(480)
            assertThat(shelf["load"]["percent"].asDouble()).isLessThan(100.0)
        }
    }

    @Test
    fun `a shelf must have slots`() {
        val response = post("/shelves", """{"name": "A2", "slots": 0}""")
        val problem = mapper.readTree(response.body?.string())

        assertThat(response.code).isEqualTo(422)
        assertThat(response.message).isEqualTo("Unprocessable Entity")
        with(problem) {
            assertThat(get("title").asText()).isEqualTo("Invalid shelf")
            assertThat(get("violations")).hasSize(1)
        }
        assertThat(problem["violations"][0]["field"].textValue()).isEqualTo("slots")
        assertThat(problem["violations"].map { it["rule"].asText() }).containsExactly("min")
        assertThat(problem["id"].asText()).hasSize(36)
    }
}
