package shop;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.*;
import static org.junit.jupiter.api.Assertions.*;

import io.restassured.RestAssured;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the shop with several values, and with assertions that they share. */
class RowsTest {
    enum Tag { book, game }

    @BeforeAll
    static void pointAtTheShop() {
        RestAssured.baseURI = System.getenv().getOrDefault("FLAKETAP_URL", "http://localhost:8080");
    }

    @ParameterizedTest
    @CsvSource({
        "1, Notes on the Analytical Engine, 2026-11-23T13:49:13Z, 1800",
        "2, A Field Guide to Clocks, 2026-11-23T13:49:14Z, 2450",
        "3, Go: the Board, 2026-11-23T13:49:15Z, 3995",
    })
    void product(int id, String name, String checked, int cents) {
        Response res = get("/products/" + id);
        assertEquals(200, res.statusCode());
        assertEquals(name, res.jsonPath().getString("name"));
        assertEquals(checked, res.jsonPath().getString("stockCheckedAt"));
        res.then().body("priceCents", equalTo(cents)).body("stockCheckedAt", is(checked));
        assertTrue(res.path("name").equals(name) && res.path("stockCheckedAt").equals(checked), "both");
    }

    @ParameterizedTest
    @MethodSource("authors")
    void author(String path, String name, String born) {
        JsonPath author = get(path).then().statusCode(200).extract().jsonPath();
        assertEquals(name, author.getString("name"));
        assertEquals(born, author.getString("birthDate"));
    }

    static Stream<Arguments> authors() {
        return Stream.of(
                Arguments.of("/authors/1", "Ada Lovelace", "1815-12-10"),
                Arguments.of("/authors/2", "Bob Facade", "1972-01-01"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/products/4711", "/authors/99"})
    void nothing(String path) {
        Response res = get(path);
        checkError(res, 404, "not_found");
    }

    @ParameterizedTest
    @EnumSource(Tag.class)
    void tagged(Tag tag) {
        Response res = given().queryParam("tag", tag.name()).get("/products");
        assertEquals(tag.name(), res.jsonPath().getString("items[0].tag"));
    }

    @RepeatedTest(2)
    void healthy() {
        Response res = get("/health");
        assertEquals("ok", res.path("status"));
        assertEquals("1795441753", res.jsonPath().getString("clock.epochText"));
    }

    @Test
    void everyProduct() {
        for (int id : List.of(1, 2)) {
            Response res = get("/products/" + id);
            assertEquals(200, res.statusCode());
            assertEquals(id, res.jsonPath().getInt("id"));
            assertEquals("2026-11-23T13:49:13Z", res.jsonPath().getString("stockCheckedAt"));
        }
    }

    @Test
    void clock() {
        Response res = get("/health");
        checkHealth(res, "ok", "1795441753");
    }

    @Test
    void orders() {
        Response res = get("/orders");
        checkError(res, 401, "unauthorized");
    }

    private static void checkError(Response res, int status, String code) {
        assertEquals(status, res.statusCode());
        assertEquals(code, res.jsonPath().getString("error.code"));
    }

    private static void checkHealth(Response res, String status, String epoch) {
        res.then().statusCode(200).body("status", equalTo(status));
        assertEquals(epoch, res.jsonPath().getString("clock.epochText"));
        assertEquals("store", res.path("checks[0].name"));
    }
}
