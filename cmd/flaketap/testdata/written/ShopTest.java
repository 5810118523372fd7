package shop;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.*;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the shop as somebody wrote them on a Monday: every value is asserted as it was seen then. */
class ShopTest {
    private static final String BASE = System.getenv().getOrDefault("FLAKETAP_URL", "http://localhost:8080");

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void pointAtTheShop() {
        RestAssured.baseURI = BASE;
    }

    private static String login() {
        return given()
                .contentType(ContentType.JSON)
                .body("{\"email\": \"ada@cafe.de\", \"password\": \"lovelace\"}")
                .post("/login")
                .then()
                .statusCode(200)
                .extract()
                .path("token");
    }

    private RequestSpecification asAda() {
        return given().header("Authorization", "Bearer " + login()).contentType(ContentType.JSON);
    }

    private HttpResponse<String> fetch(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(BASE + path)).header("Accept", "application/json").build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Nested
    @DisplayName("the health of the shop")
    class Health {
        @Test
        void health() {
            given()
                .accept(ContentType.JSON)
            .when()
                .get("/health")
            .then()
                .statusCode(200)
                .contentType(ContentType.JSON)
                .body("status", equalTo("ok"))
                .body("version", is("1.4.2"))
                .body("uptimeSeconds", equalTo(0.99380296f))
                .body("checks.name", contains("store", "clock"))
                .body("checks", hasSize(2))
                .body("clock.today", equalTo("2026-11-23"))
                .body("clock.epochText", equalTo("1795441753"));
        }

        @Test
        void clock() throws Exception {
            HttpResponse<String> res = fetch("/health");
            assertEquals(200, res.statusCode(), "the shop is down");
            assertEquals("application/json", res.headers().firstValue("Content-Type").orElse(null));
            assertEquals("Mon, 23 Nov 2026 13:49:13 GMT", res.headers().firstValue("Date").get());
            JsonPath body = JsonPath.from(res.body());
            assertEquals("ok", body.getString("status"));
            assertEquals(1795441753, body.getLong("clock.epochSeconds"));
            assertEquals("1795441753", body.getString("clock.epochText"));
            assertEquals(List.of("store", "clock"), body.getList("checks.name"));
            assertTrue(body.getDouble("uptimeSeconds") >= 0);
        }

        @Test
        void uptime() throws Exception {
            String text = fetch("/health/uptime").body();
            assertTrue(text.startsWith("up"), "it is down");
        }
    }

    @Test
    void firstPage() {
        Response res = given().queryParam("limit", 2).when().get("/products");
        assertEquals(200, res.statusCode());
        JsonPath page = res.jsonPath();
        assertEquals(2, page.getList("items").size());
        assertEquals(7, page.getInt("total"));
        assertEquals("Notes on the Analytical Engine", page.getString("items[0].name"));
        assertEquals(2450, page.getInt("items[1].priceCents"));
        assertEquals(List.of("book", "game", "print", "record"), page.getList("tags"));
    }

    @Test
    void product() {
        Response res = when().get("/products/{id}", 1);
        res.then().statusCode(200).header("ETag", "\"p1-r1\"").body("currency", equalTo("EUR"));
        String uuid = res.path("uuid");
        assertEquals("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101", uuid);
        int views = res.path("viewsSinceReset");
        assertEquals(1, views);
        assertThat(res.jsonPath().getString("stockCheckedAt"), is("2026-11-23T13:49:13Z"));
        assertEquals("2026-11-23T13:49:13Z", res.path("stockCheckedAt"));
    }

    @Test
    void unknownProduct() {
        get("/products/4711").then().statusCode(404).body("error.code", equalTo("not_found")).body("error.message", equalTo("There is no such resource."));
    }

    @Test
    void author() {
        JsonPath author = get("/authors/1").then().statusCode(200).extract().jsonPath();
        assertEquals("Ada Lovelace", author.getString("name"));
        assertEquals("1815-12-10", author.getString("birthDate"));
        assertNotNull(author.getString("deathDate"));
        assertNotNull(author.get("iban"));
    }

    @Test
    void search() throws Exception {
        HttpResponse<String> res = fetch("/search?q=notes");
        JsonPath found = new JsonPath(res.body());
        assertEquals("notes", found.get("query"));
        assertEquals(List.of("tag", "released", "author", "currency", "price"), found.getList("facets"));
        long took = found.getLong("tookNanoseconds");
        assertEquals(40791, took);
    }

    @Test
    void maybe() {
        ValidatableResponse maybe = get("/odd/maybe").then().statusCode(200);
        maybe.body("name", equalTo("Maybe"));
        maybe.body("discount", nullValue());
        maybe.body("delivery", equalTo(3));
        assertNull(maybe.extract().path("coupon"));
    }

    @Test
    void crash() {
        Response res = get("/debug/crash");
        assertEquals(500, res.getStatusCode());
        assertAll(
            () -> assertEquals("crash", res.path("error.code")),
            () -> assertEquals("cannot render com.example.catalogue.Product@f5954acb", res.path("error.message")),
            () -> assertEquals("http-nio-8080-exec-123", res.jsonPath().getString("error.thread"), "another thread"));
    }

    @Test
    void estimate() {
        given().get("/prices/estimate").then().statusCode(anyOf(is(200), is(400), is(422)));
    }

    @ParameterizedTest
    @CsvSource({"/static/json,application/json", "/static/xml,application/xml"})
    void files(String path, String kind) {
        Response res = get(path);
        assertEquals(200, res.statusCode());
        assertTrue(res.contentType().startsWith(kind));
    }

    @Test
    void logsIn() throws Exception {
        String ada = """
            {"email": "ada@cafe.de", "password": "lovelace"}
            """;
        HttpRequest request = HttpRequest.newBuilder()
                .uri(URI.create(BASE + "/login"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(ada))
                .build();
        var res = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, res.statusCode());
        var account = JsonPath.from(res.body());
        assertEquals("ada@cafe.de", account.getString("email"));
        assertEquals("Bearer", account.getString("tokenType"));
        assertEquals(1795441753, account.getLong("issuedAt"));
        assertEquals(18, account.getInt("loginCount"), "the account was used");
        assertEquals(3600, account.getInt("expiresIn"));
    }

    @Test
    void wrongPassword() {
        given().contentType("application/json").body("{\"email\": \"ada@cafe.de\", \"password\": \"byron\"}").post("/login").then().statusCode(401);
    }

    @Test
    void orders() {
        Response res = asAda()
                .body("{\"items\": [{\"product\": 1, \"quantity\": 1}, {\"product\": 3, \"quantity\": 2}], \"note\": \"Ring twice.\"}")
                .post("/orders");
        res.then()
            .statusCode(202)
            .body("number", equalTo("A-1001"))
            .body("state", equalTo("pending"))
            .body("totalCents", equalTo(9790))
            .body("id", equalTo("1f21fe5a-5fba-412f-95ec-12b5745db3f8"));
        String id = res.path("id");
        Response read = asAda().pathParam("id", id).get("/orders/{id}");
        assertEquals(200, read.statusCode());
        JsonPath again = read.jsonPath();
        assertEquals(id, again.getString("id"));
        assertEquals((String) res.path("createdAt"), again.getString("createdAt"));
        assertEquals("2026-11-23T13:49:13Z", again.getString("createdAt"));
        assertEquals(1, again.getInt("items[0].quantity"));
        assertEquals("pending", again.getString("state"));
    }

    @Test
    void ordersOfNobody() {
        get("/orders").then().statusCode(401).body("error.code", is("unauthorized"));
    }

    @Test
    void guestbook() {
        Response book = get("/guestbook");
        int before = book.path("count");
        assertEquals(3, before);
        assertThat(book.jsonPath().getList("entries.author"), contains("Grace", "Linus", "Edsger"));
        String postedAt = given().contentType(ContentType.JSON).body("{\"author\": \"Ada\", \"text\": \"Hello.\"}")
                .when().post("/guestbook")
                .then().statusCode(201).body("text", equalTo("Hello."))
                .extract().path("postedAt");
        assertEquals("2026-11-23T13:49:13.619262936Z", postedAt);
        get("/guestbook").then().body("count", equalTo(4));
    }

    @Test
    void journal() throws Exception {
        HttpResponse<String> journal = fetch("/journal");
        assertEquals(200, journal.statusCode());
        assertFalse(journal.body().isBlank());
        for (String line : journal.body().split("\n")) {
            assertFalse(line.isEmpty());
        }
    }
}
