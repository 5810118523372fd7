package shop;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.approvaltests.Approvals;
import org.approvaltests.JsonApprovals;
import org.approvaltests.reporters.QuietReporter;
import org.approvaltests.reporters.UseReporter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests of the shop with approved texts, as they were written on a Monday: all is compared with what was seen then. */
@UseReporter(QuietReporter.class)
class ShopApprovalTest {
    private static final String BASE = System.getenv().getOrDefault("FLAKETAP_URL", "http://localhost:8080");

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void pointAtTheShop() {
        RestAssured.baseURI = BASE;
    }

    private HttpResponse<String> fetch(String path) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(BASE + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String token() {
        return given()
                .contentType(ContentType.JSON)
                .body("{\"email\": \"ada@cafe.de\", \"password\": \"lovelace\"}")
                .post("/login")
                .then()
                .statusCode(200)
                .extract()
                .path("token");
    }

    @Test
    void health() throws Exception {
        HttpResponse<String> res = fetch("/health");
        assertEquals(200, res.statusCode());
        JsonApprovals.verifyJson(res.body());
    }

    @Test
    void uptime() {
        float seconds = get("/health").path("uptimeSeconds");
        assertEquals(6.257447f, seconds);
    }

    @Test
    void product() throws Exception {
        HttpResponse<String> res = fetch("/products/1");
        JsonApprovals.verifyJson(res.body());
    }

    @Test
    void productAsText() {
        Response res = get("/products/2");
        Approvals.verify(res.asPrettyString());
        assertEquals("A Field Guide to Clocks", res.path("name"));
    }

    @Test
    void authorAsText() throws Exception {
        HttpResponse<String> res = fetch("/authors/1");
        Approvals.verify(res.body());
    }

    @Test
    void unknownProduct() {
        JsonApprovals.verifyJson(get("/products/4711").asString());
    }

    @Nested
    class Search {
        @Test
        void found() {
            Response res = get("/search?q=notes");
            JsonApprovals.verifyJson(res.asString());
        }
    }

    @Test
    void order() {
        Response res = given()
                .header("Authorization", "Bearer " + token())
                .contentType(ContentType.JSON)
                .body("{\"items\": [{\"product\": 1, \"quantity\": 1}]}")
                .post("/orders");
        assertEquals(202, res.statusCode());
        JsonApprovals.verifyJson(res.asString());
    }
}
