package weather

import com.fasterxml.jackson.module.kotlin.jacksonObjectMapper
import com.fasterxml.jackson.module.kotlin.readValue
import org.junit.jupiter.api.Assertions.assertAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse

data class Place(val id: Int, val name: String, val lat: Double, val lon: Double, val tags: List<String> = emptyList())

data class Forecast(val place: Place, val days: List<Day>, val issuedAt: String, val warning: String?)

data class Day(val date: String, val min: Int, val max: Int, val rain: Boolean)

class ForecastApiTest {

    private val client = HttpClient.newHttpClient()
    private val mapper = jacksonObjectMapper()
    private lateinit var place: Place

    private fun get(path: String): HttpResponse<String> {
        val request = HttpRequest.newBuilder(URI.create("$BASE$path")).GET().build()
        return client.send(request, HttpResponse.BodyHandlers.ofString())
    }

    private fun post(path: String, body: Any): HttpResponse<String> = client.send(
        HttpRequest.newBuilder()
            .uri(URI.create(BASE + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(mapper.writeValueAsString(body)))
            .build(),
        HttpResponse.BodyHandlers.ofString(),
    )

    @BeforeEach
    fun createPlace() {
        val response = post("/places", mapOf("name" to "Oslo", "lat" to 59.9, "lon" to 10.7))
        assertEquals(201, response.statusCode())
        place = mapper.readValue(response.body())
    }

    @Test
    fun `the place is there`() {
        assertEquals(3, place.id)
        assertEquals("Oslo", place.name)
        assertEquals(59.9, place.lat, 0.001)
        assertEquals(listOf("capital"), place.tags)
        assertTrue(place.tags.isNotEmpty())
    }

    @Test
    fun `the forecast has seven days`() {
        val response = get("/places/${place.id}/forecast")
        val forecast: Forecast = mapper.readValue(response.body())

        assertEquals(200, response.statusCode())
        assertEquals("public, max-age=600", response.headers().firstValue("cache-control").get())
        assertEquals(7, forecast.days.size)
        assertEquals("2025-08-01", forecast.days[0].date)
        assertEquals(19, forecast.days.first().max)
        assertEquals(place, forecast.place)
        assertEquals("2025-08-01T06:00:00Z", forecast.issuedAt)
        assertNull(forecast.warning)
        assertFalse(forecast.days[1].rain)
        assertTrue(forecast.days.all { it.min <= it.max })
        assertEquals(listOf(19, 20, 22), forecast.days.take(3).map { it.max })
    }

    @ParameterizedTest
    @CsvSource("metric, C", "imperial, F")
    fun `knows the units`(units: String, symbol: String) {
        val json = mapper.readTree(get("/places/${place.id}/now?units=$units").body())

        assertEquals(symbol, json["unit"].asText())
        assertEquals(21, json["temperature"].asInt())
        assertEquals(units, json.path("query").path("units").asText())
        assertNotNull(json["observedAt"])
    }

    @Test
    fun `there is no forecast for nowhere`() {
        val response = get("/places/0/forecast")
        val error = mapper.readTree(response.body()).get("error")

        assertAll(
            { assertEquals(404, response.statusCode()) },
            { assertEquals("PLACE_UNKNOWN", error["code"].textValue()) },
            { assertTrue(error["message"].asText().startsWith("There is no place")) },
        )
    }

    companion object {
        private const val BASE = "http://localhost:8181/v3"
    }
}
