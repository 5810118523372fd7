package com.acme.invoicing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import okhttp3.Response;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class InvoiceApiTest {

    private final InvoiceClient client = new InvoiceClient("http://localhost:8077/api");
    private final ObjectMapper mapper = new ObjectMapper();
    private Invoice invoice;

    @BeforeEach
    void createInvoice() throws Exception {
        try (Response response = client.post("/invoices", Map.of("customer", 5, "lines", List.of()))) {
            assertEquals(201, response.code());
            invoice = mapper.readValue(response.body().string(), Invoice.class);
        }
    }

    @Test
    void newInvoice() {
        assertThat(invoice.getId()).isEqualTo(77L);
        assertThat(invoice.getNumber()).isEqualTo("INV-2025-00077");
        assertThat(invoice.getStatus()).isEqualTo("DRAFT");
        assertThat(invoice.getLines()).isEmpty();
        assertThat(invoice.isPaid()).isFalse();
        assertThat(invoice.getTotalCents()).isZero();
    }

    @Test
    void addsALine() throws Exception {
        try (Response response =
                client.post("/invoices/" + invoice.getId() + "/lines", Map.of("text", "Work", "cents", 12000))) {
            JsonNode line = mapper.readTree(response.body().string());
            assertThat(response.code()).isEqualTo(201);
            assertThat(line.get("position").asInt()).isEqualTo(1);
            assertThat(line.path("text").asText()).isEqualTo("Work");
        }

        Invoice changed = client.invoice(invoice.getId());
        SoftAssertions softly = new SoftAssertions();
        softly.assertThat(changed.getTotalCents()).isEqualTo(14280);
        softly.assertThat(changed.getLines()).hasSize(1);
        softly.assertThat(changed.getLines().get(0).text).isEqualTo("Work");
        softly.assertThat(changed.getNumber()).isEqualTo(invoice.getNumber());
        softly.assertAll();
    }

    static Stream<Arguments> transitions() {
        return Stream.of(Arguments.of("send", "SENT"), Arguments.of("cancel", "CANCELLED"));
    }

    @ParameterizedTest(name = "{0} makes it {1}")
    @MethodSource("transitions")
    void changesState(String action, String state) throws Exception {
        Response response = client.post("/invoices/" + invoice.getId() + "/" + action, Map.of());
        Invoice changed = mapper.readValue(response.body().string(), Invoice.class);

        assertThat(response.code()).isEqualTo(200);
        assertThat(changed.getStatus()).isEqualTo(state);
        assertThat(changed.getId()).isEqualTo(invoice.getId());
        assertThat(response.header("Last-Modified")).isEqualTo("Tue, 11 Mar 2025 10:00:00 GMT");
    }

    @Test
    void statistics() throws Exception {
        try (Response response = client.get("/statistics?year=2025")) {
            JsonNode json = mapper.readTree(response.body().string());
            assertThat(response.isSuccessful()).isTrue();
            assertThat(json.get("count").asInt()).isEqualTo(77);
            assertThat(json.get("sum").asLong()).isGreaterThan(1_000_000L);
            assertThat(json.get("byMonth")).hasSize(12);
            assertThat(json.at("/byMonth/0/name").asText()).isEqualTo("January");
            assertThat(json.get("largest").get("customer").asText()).isEqualTo("ACME").isNotEqualTo("Nobody");
            assertThat(json.has("error")).isFalse();
        }
    }
}
