package de.logistik.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShipmentApiTest {

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Shipment(
            String id,
            @JsonProperty("tracking_code") String trackingCode,
            double weight,
            Address recipient,
            List<Event> events) {}

    record Address(String name, String city, String country) {}

    record Event(String type, String at, String depot) {}

    static final ObjectMapper MAPPER = new ObjectMapper();

    HttpClient http;
    Shipment shipment;

    @BeforeAll
    void connect() {
        http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    }

    @BeforeEach
    void ship() throws Exception {
        var body = Map.of("weight", 2.5, "recipient", Map.of("name", "Max", "city", "Kiel", "country", "DE"));
        var response = post("/shipments", body);
        assertThat(response.statusCode()).isEqualTo(201);
        shipment = MAPPER.readValue(response.body(), Shipment.class);
    }

    @Nested
    class WhenItIsNew {

        @Test
        void hasATrackingCode() {
            assertThat(shipment.trackingCode()).isEqualTo("JJD0003939");
            assertThat(shipment.id()).hasSize(24);
            assertThat(shipment.weight()).isEqualTo(2.5);
            assertThat(shipment.recipient().city()).isEqualTo("Kiel");
            assertThat(shipment.recipient()).isEqualTo(new Address("Max", "Kiel", "DE"));
        }

        @Test
        void hasOneEvent() {
            assertThat(shipment.events()).hasSize(1);
            assertThat(shipment.events().get(0).type()).isEqualTo("ANNOUNCED");
            assertThat(shipment.events().get(0).at()).isEqualTo("2025-02-02T10:00:00Z");
            assertThat(shipment.events()).extracting(Event::type).containsExactly("ANNOUNCED");
        }
    }

    @Nested
    class WhenItIsOnItsWay {

        @BeforeEach
        void pickUp() throws Exception {
            post("/shipments/" + shipment.id() + "/events", Map.of("type", "PICKED_UP", "depot", "HH1"));
        }

        @Test
        void showsWhere() throws Exception {
            Shipment now = fetch(shipment.id());

            assertThat(now.events()).hasSize(2).extracting("type", "depot")
                    .containsExactly(tuple("ANNOUNCED", null), tuple("PICKED_UP", "HH1"));
            assertThat(now.events().get(1).depot()).as("depot").isEqualTo("HH1");
            assertThat(now.weight()).isCloseTo(2.5, within(0.1));
            assertThat(now).usingRecursiveComparison().ignoringFields("events").isEqualTo(shipment);
        }

        @Test
        void isInTheList() throws Exception {
            HttpResponse<String> response = get("/shipments?state=moving");
            List<Shipment> shipments = MAPPER.readValue(response.body(), new TypeReference<>() {});

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("X-Total")).contains("3");
            assertThat(shipments).hasSize(3);
            assertThat(shipments).extracting(Shipment::id).contains(shipment.id());
            assertThat(shipments.get(2).trackingCode()).isEqualTo("JJD0003939");
            assertThat(shipments.get(0).events()).isNotEmpty();
        }
    }

    @Test
    void unknown() throws Exception {
        HttpResponse<String> response = get("/shipments/unknown");
        Map<String, Object> problem = MAPPER.readValue(response.body(), new TypeReference<Map<String, Object>>() {});

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(problem).containsEntry("title", "Not Found");
        assertThat(problem.get("shipment")).isEqualTo("unknown");
        assertThat(response.body()).contains("\"title\":\"Not Found\"");
    }

    private Shipment fetch(String id) throws Exception {
        return MAPPER.readValue(get("/shipments/" + id).body(), Shipment.class);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path).GET());
    }

    private HttpResponse<String> post(String path, Object body) throws Exception {
        String json = MAPPER.writeValueAsString(body);
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:8088" + path)).timeout(Duration.ofSeconds(5));
    }

    private HttpResponse<String> send(HttpRequest.Builder builder) throws Exception {
        return http.send(builder.build(), HttpResponse.BodyHandlers.ofString());
    }
}
