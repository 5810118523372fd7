package com.acme.library;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.*;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BookApiTest {

    @BeforeAll
    static void setUp() {
        RestAssured.baseURI = "http://localhost";
        RestAssured.port = 8080;
        RestAssured.basePath = "/api/v1";
    }

    @Test
    @DisplayName("the list of books")
    void listsBooks() {
        given()
            .accept(ContentType.JSON)
            .queryParam("page", 0)
            .queryParam("size", 3)
        .when()
            .get("/books")
        .then()
            .statusCode(200)
            .contentType(ContentType.JSON)
            .header("X-Total-Count", "57")
            .body("content.size()", is(3))
            .body("content[0].title", equalTo("Dune"))
            .body("content.title", hasItems("Dune", "Emma"))
            .body("content.id", contains(1, 2, 3))
            .body("totalElements", is(57))
            .body("content[1].price", equalTo(9.95f))
            .body("content", hasSize(3));
    }

    @Test
    void createsABook() {
        String id =
            given()
                .contentType(ContentType.JSON)
                .body("{\"title\": \"Solaris\", \"year\": 1961}")
            .when()
                .post("/books")
            .then()
                .statusCode(201)
                .header("Location", startsWith("http://localhost:8080/api/v1/books/"))
                .body("id", notNullValue())
                .body("title", is("Solaris"))
                .body("createdAt", equalTo("2025-01-15T08:30:00Z"))
            .extract()
                .path("id").toString();

        when()
            .get("/books/{id}", id)
        .then()
            .statusCode(200)
            .body("title", equalTo("Solaris"), "year", equalTo(1961), "available", is(true))
            .body("isbn", nullValue());
    }

    @ParameterizedTest
    @ValueSource(ints = {4711, 4712})
    void doesNotFindABook(int id) {
        when()
            .get("/books/" + id)
        .then()
            .assertThat()
            .statusCode(404)
            .and()
            .body("status", equalTo(404))
            .body("message", containsString("not found"))
            .body("timestamp", is("2025-01-15T08:31:12.511Z"));
    }

    @Test
    void knowsItsAuthors() {
        given().pathParam("author", "lem").get("/authors/{author}")
            .then().log().ifValidationFails()
            .statusCode(is(200))
            .body("name", is("Stanislaw Lem"))
            .body("books.findAll { it.year < 1965 }.title", hasItem("Solaris"))
            .body("born", lessThan(1930))
            .body("$", hasKey("died"))
            .time(lessThan(2000L));
    }
}
