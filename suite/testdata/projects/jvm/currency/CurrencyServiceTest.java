package io.rates;

import static org.junit.jupiter.api.Assertions.*;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CurrencyServiceTest {

    private static final String BASE = "http://localhost:8085/rates";
    private final HttpClient client = HttpClient.newHttpClient();
    private final ObjectMapper mapper = new ObjectMapper();

    @Test
    void latestRates() throws Exception {
        HttpRequest request = HttpRequest.newBuilder().uri(URI.create(BASE + "/latest")).GET().build();
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        JsonNode json = mapper.readTree(response.body());

        assertEquals(200, response.statusCode());
        assertEquals("application/json", response.headers().firstValue("content-type").orElse(null));
        assertEquals("EUR", json.get("base").asText());
        assertEquals("2025-02-28", json.get("date").asText());
        assertEquals(1.0413, json.get("rates").get("USD").asDouble(), 0.0001);
        assertEquals(30, json.path("rates").size());
        assertTrue(json.get("rates").has("GBP"));
        assertFalse(json.get("stale").asBoolean());
        assertNotNull(json.get("provider"));
    }

    @ParameterizedTest
    @CsvSource({"EUR,USD,104.13", "EUR,GBP,82.60", "USD,EUR,96.03"})
    void converts(String from, String to, double expected) throws Exception {
        JsonNode json = getJson("/convert?amount=100&from=" + from + "&to=" + to);

        assertEquals(expected, json.get("result").asDouble(), 0.01);
        assertEquals(from, json.get("query").get("from").asText());
        assertEquals(to, json.at("/query/to").asText());
        assertTrue(json.get("success").booleanValue());
    }

    @Test
    void unknownCurrency() throws Exception {
        HttpResponse<String> response = get("/convert?amount=1&from=EUR&to=XXX");
        assertEquals(422, response.statusCode(), "unknown currencies are refused");
        JsonNode error = mapper.readTree(response.body()).path("error");
        assertAll(
            () -> assertEquals("UNKNOWN_CURRENCY", error.path("code").asText()),
            () -> assertEquals("XXX", error.path("value").asText()),
            () -> assertTrue(error.path("message").asText().contains("XXX")));
    }

    @Test
    void history() throws Exception {
        JsonNode days = getJson("/history?from=2025-01-01&to=2025-01-05").get("days");

        assertTrue(days.isArray());
        assertEquals(5, days.size());
        assertEquals("2025-01-01", days.get(0).get("date").asText());
        assertEquals(1.0389, days.get(4).get("USD").decimalValue().doubleValue());
        for (JsonNode day : days) {
            assertTrue(day.hasNonNull("USD"));
            assertTrue(day.get("USD").asDouble() > 0.5);
        }
    }

    @Test
    void alertIsStored() throws Exception {
        String payload = """
            {"pair": "EURUSD", "above": 1.10}
            """;
        HttpResponse<String> response = client.send(
            HttpRequest.newBuilder(URI.create(BASE + "/alerts"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(payload))
                .build(),
            HttpResponse.BodyHandlers.ofString());
        var alert = mapper.readTree(response.body());

        assertEquals(201, response.statusCode());
        assertEquals(17, alert.get("id").asInt());
        assertEquals("EURUSD", alert.get("pair").textValue());
        assertNull(alert.get("triggeredAt"));
        assertTrue(response.headers().firstValue("location").isPresent());
        assertEquals("/rates/alerts/17", response.headers().firstValue("location").get());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(BASE + path)).header("Accept", "application/json").build();
        return client.send(request, BodyHandlers.ofString());
    }

    private JsonNode getJson(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        assertEquals(200, response.statusCode());
        return mapper.readTree(response.body());
    }
}
