package library;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The library's API as it answered when I tried it. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LibraryTest {

    @BeforeAll
    static void setUp() {
        String url = System.getenv("FLAKETAP_URL");
        RestAssured.baseURI = url == null ? "http://localhost:3000" : url;
    }

    /** Borrows a book for member 3 and returns the id of the loan. */
    private String borrow(int book) {
        return given()
                .contentType(ContentType.JSON)
                .body("{\"memberId\": 3, \"bookId\": " + book + ", \"dueOn\": \"2026-12-15\", \"returned\": false}")
                .when()
                .post("/loans")
                .then()
                .statusCode(201)
                .extract()
                .path("id");
    }

    @Test
    @Order(1)
    void settings() {
        when().get("/settings")
                .then()
                .statusCode(200)
                .contentType("application/json; charset=utf-8")
                .header("Content-Length", "486")
                .header("Date", "Tue, 24 Nov 2026 03:48:26 GMT")
                .body("name", equalTo("Harbour Street Library"))
                .body("currency", equalTo("EUR"))
                .body("loanDays", is(21))
                .body("finePerDay", is(0.25f))
                .body("openingHours", hasSize(4))
                .body("openingHours.day", contains("Mon", "Wed", "Fri", "Sat"))
                .body("openingHours[2].closes", equalTo("20:00"))
                .body("updatedAt", equalTo("2024-02-11T08:30:00Z"));
    }

    @Test
    @Order(2)
    void oneBook() {
        get("/books/13")
                .then()
                .statusCode(200)
                .body("title", equalTo("A History of Fog"))
                .body("isbn", equalTo("978-9-33080-127-2"))
                .body("price", equalTo(38.05f))
                .body("tags", contains("new"))
                .body("dimensions.weightGrams", equalTo(538))
                .body("formats.findAll { it.available }.kind", contains("paperback", "hardback"));
    }

    @Test
    @Order(3)
    void unknownBook() {
        Response response = get("/books/999");
        assertEquals(404, response.statusCode());
        assertEquals("{}", response.asString());
    }

    @Test
    @Order(4)
    void crimeByYear() {
        given()
                .queryParam("genre", "crime")
                .queryParam("_sort", "year")
                .when()
                .get("/books")
                .then()
                .statusCode(200)
                .body("genre", everyItem(equalTo("crime")))
                .body("title[0]", equalTo("The Accountant of Bergen"))
                .body("year[1]", equalTo(1993))
                .body("[2].id", equalTo(1))
                .body("[1].tags", empty());
    }

    @Test
    @Order(5)
    void secondPage() {
        Response response = given().queryParam("_page", 2).queryParam("_limit", 2).get("/books");
        assertEquals("32", response.header("X-Total-Count"));
        assertEquals(
                "<http://localhost:3000/books?_page=1&_limit=2>; rel=\"first\", "
                        + "<http://localhost:3000/books?_page=1&_limit=2>; rel=\"prev\", "
                        + "<http://localhost:3000/books?_page=3&_limit=2>; rel=\"next\", "
                        + "<http://localhost:3000/books?_page=16&_limit=2>; rel=\"last\"",
                response.header("Link"));
        JsonPath books = response.jsonPath();
        assertEquals(2, books.getList("$").size());
        assertEquals("The Clockmaker's Daughter", books.getString("[0].title"));
        assertEquals(List.of(3, 4), books.getList("id"));
    }

    @Test
    @Order(6)
    void member() {
        JsonPath member = get("/members/3").jsonPath();
        assertEquals("Chlo\u00e9 Martin", member.getString("name"));
        assertEquals("2017-09-06T15:13:53Z", member.getString("joinedAt"));
        assertEquals(21.08f, member.getFloat("balance"));
        assertTrue(member.getBoolean("active"));
        assertEquals("Dublin", member.getString("address.city"));
        assertEquals(List.of("history", "novel"), member.getList("interests"));
    }

    @Test
    @Order(7)
    void openLoans() {
        given()
                .queryParam("returned", false)
                .queryParam("_limit", 3)
                .get("/loans")
                .then()
                .header("X-Total-Count", "11")
                .body("id", contains("L-0001", "L-0002", "L-0004"))
                .body("fine[2]", equalTo(0.5f))
                .body("[0].returnedAt", nullValue());
    }

    @Test
    @Order(8)
    void booksOfAuthor() {
        get("/authors/2?_embed=books")
                .then()
                .body("name", equalTo("Thomas Ashdown"))
                .body("awards.year", contains(2010, 2009))
                .body("books.title", hasItem("Seaborne"))
                .body("books[1].isbn", equalTo("978-9-00365-217-1"));
    }

    @Test
    @Order(9)
    void norwegianPublishers() {
        List<String> names = get("/publishers?country=Norway").path("name");
        assertEquals(List.of("Northlight Press", "Fjordheim"), names);
    }

    @Test
    @Order(10)
    void worstReviews() {
        get("/reviews?rating=1&_sort=helpful")
                .then()
                .body("$", hasSize(3))
                .body("[0].text", containsString("map on page 12"))
                .body("helpful", contains(1, 24, 28));
    }

    @Test
    @Order(11)
    void join() {
        Response response =
                given().contentType(ContentType.JSON).body("{\"name\": \"Oskar Lind\", \"level\": \"gold\"}").post("/members");
        assertEquals(201, response.getStatusCode());
        assertEquals("http://localhost:3000/members/17", response.getHeader("Location"));
        assertEquals(17, response.jsonPath().getInt("id"));
        assertEquals("Oskar Lind", response.path("name"));
    }

    @Test
    @Order(12)
    void goldMembersAfterwards() {
        get("/members?level=gold")
                .then()
                .body("size()", equalTo(9))
                .body("name[8]", equalTo("Oskar Lind"))
                .body("id", hasItem(17));
    }

    @Test
    @Order(13)
    void newLoan() {
        given()
                .contentType(ContentType.JSON)
                .body("{\"memberId\": 3, \"bookId\": 8, \"dueOn\": \"2026-12-15\", \"returned\": false}")
                .when()
                .post("/loans")
                .then()
                .statusCode(201)
                .header("Location", "http://localhost:3000/loans/aFV9rBu")
                .body("id", equalTo("aFV9rBu"))
                .body("bookId", equalTo(8))
                .body("dueOn", equalTo("2026-12-15"))
                .body("returned", is(false));
    }

    @Test
    @Order(14)
    void loanIsKept() {
        String id = borrow(9);
        assertEquals(7, id.length());
        get("/loans/{id}", id).then().statusCode(200).body("id", equalTo(id)).body("memberId", equalTo(3));
    }

    @Test
    @Order(15)
    void bringBack() {
        String id = borrow(10);
        JsonPath loan =
                given().contentType(ContentType.JSON).body("{\"returned\": true, \"fine\": 1.5}").patch("/loans/" + id).jsonPath();
        assertTrue(loan.getBoolean("returned"));
        assertEquals(1.5f, loan.getFloat("fine"));
        assertEquals("Zk3pQ_w", loan.getString("id"));
        assertEquals("2026-12-15", loan.getString("dueOn"));
    }

    @Test
    @Order(16)
    void loansOfMember() {
        List<Map<String, Object>> loans = get("/loans?memberId=3&dueOn=2026-12-15").jsonPath().getList("$");
        assertEquals(3, loans.size());
        assertEquals("aFV9rBu", loans.get(0).get("id"));
        assertEquals(9, loans.get(1).get("bookId"));
        assertFalse((Boolean) loans.get(0).get("returned"));
    }

    @Test
    @Order(17)
    void replacePublisher() {
        given()
                .contentType(ContentType.JSON)
                .body("{\"name\": \"New Press\", \"city\": \"Ghent\"}")
                .when()
                .put("/publishers/4")
                .then()
                .statusCode(200)
                .body("id", equalTo(4))
                .body("city", equalTo("Ghent"))
                .body("country", nullValue())
                .body("name", notNullValue());
    }

    @Test
    @Order(18)
    void deleteReview() {
        given().when().delete("/reviews/18").then().statusCode(200);
        when().get("/reviews/18").then().statusCode(404);
        assertEquals(17, get("/reviews").jsonPath().getList("id").size());
    }
}
