package shop;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.*;
import static org.junit.jupiter.api.Assertions.*;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WrittenTest {
    private static final String BASE = System.getenv().getOrDefault("SHOP_URL", "http://localhost:8080");
    private static final int LIMIT = 2;
    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private RequestSpecification spec;
    private String token;

    @BeforeAll
    static void base() {
        RestAssured.baseURI = BASE;
        RestAssured.basePath = "/api";
    }

    @BeforeEach
    void setUp() {
        token = login("ada@cafe.de", "lovelace");
        spec = given().header("Authorization", "Bearer " + token).accept(ContentType.JSON);
    }

    private static String login(String email, String password) {
        return given().contentType(ContentType.JSON).body(Map.of("email", email, "password", password))
                .when().post("/login")
                .then().statusCode(200)
                .extract().path("token");
    }

    private HttpResponse<String> send(String path) throws Exception {
        HttpRequest req = HttpRequest.newBuilder(URI.create(BASE + path)).header("Accept", "application/json").GET().build();
        return client.send(req, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void list() {
        given().queryParam("limit", LIMIT)
            .when()
                .get("/products")
            .then()
                .statusCode(200)
                .contentType(ContentType.JSON)
                .body("products", hasSize(2))
                .body("products[0].name", equalTo("Coffee"))
                .body("products.id", hasItems(1, 2))
                .body("total", is(7), "next", nullValue())
                .body("price", closeTo(1.5, 0.1))
                .header("X-Request-Id", "abc")
                .time(lessThan(500L));
    }

    @Test
    @DisplayName("one product")
    void one() {
        Response r = when().get("/products/{id}", 1);
        assertEquals(200, r.statusCode(), "the shop is down");
        r.then().body("name", equalTo("Coffee")).body("id", notNullValue());
        JsonPath json = r.jsonPath();
        assertEquals("Coffee", json.getString("name"));
        assertEquals(3, json.getInt("stock"));
        assertEquals(List.of("hot", "black"), json.getList("tags"));
        String at = json.getString("made.at");
        assertNotNull(at);
        assertTrue(at.startsWith("2026-"), "made this year");
        assertThat(json.getString("colour"), is("brown"));
        assertThat("the price", json.getDouble("price"), greaterThan(1.0));
        assertNull(r.path("deleted"));
        assertFalse(r.asString().contains("secret"));
        if (json.getInt("stock") > 0) assertEquals("yes", json.getString("sells"));
        for (String tag : json.<String>getList("tags")) {
            assertEquals("hot", tag);
        }
        assertEquals("x", r.as(Map.class).get("a"));
    }

    @Test
    void order() {
        int id = given().spec(spec).contentType("application/json").body("""
                {"product": 1, "quantity": 2}
                """).post("/orders").then().statusCode(201).body("state", equalTo("pending")).extract().path("id");
        Response got = given().spec(spec).pathParam("id", id).get("/orders/{id}");
        assertEquals(id, got.jsonPath().getInt("id"));
        assertAll(
            () -> assertEquals("pending", got.path("state")),
            () -> assertEquals("2026-01-01T00:00:00Z", got.path("createdAt")));
        assertEquals(404, given().get("/orders/0").statusCode());
    }

    @Test
    void plain() throws Exception {
        HttpResponse<String> res = send("/health");
        assertEquals(200, res.statusCode());
        JsonNode body = mapper.readTree(res.body());
        assertEquals("ok", body.get("status").asText());
        assertEquals(2, body.path("checks").size());
        assertEquals("up", body.at("/checks/0/state").asText());
        assertEquals("application/json", res.headers().firstValue("Content-Type").orElse(null));
        var req = HttpRequest.newBuilder().uri(URI.create(BASE + "/orders"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"product\": 1}"))
                .build();
        var made = client.send(req, HttpResponse.BodyHandlers.ofString());
        assertEquals(201, made.statusCode());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void many(int id) {
        given().get("/products/" + id).then().statusCode(200).body("id", equalTo(id));
    }

    @Nested
    class Inner {
        @Test
        @Disabled
        void off() {
            RestAssured.get("/off").then().assertThat().statusCode(HttpStatus.SC_NO_CONTENT).and().body(emptyString());
        }
    }
}
