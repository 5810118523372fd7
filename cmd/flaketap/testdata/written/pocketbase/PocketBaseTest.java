package pocketbase;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.emptyString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasEntry;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.hasLength;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.restassured.RestAssured;
import io.restassured.builder.RequestSpecBuilder;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PocketBase with users, posts and comments, as it answered the day I set it up. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PocketBaseTest {

    private static final String USERS = "/api/collections/users";
    private static final String POSTS = "/api/collections/posts/records";
    private static final String COMMENTS = "/api/collections/comments/records";
    private static final String PASSWORD = "lovelace1815";

    private static RequestSpecification json;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void connect() {
        RestAssured.baseURI = baseUrl();
        json = new RequestSpecBuilder().setContentType(ContentType.JSON).build();
    }

    private static String baseUrl() {
        String url = System.getenv("FLAKETAP_URL");
        return url == null ? "http://127.0.0.1:8090" : url;
    }

    private static Response signUp(String name) {
        String account =
                """
                {"name": "%s", "email": "%s@example.com", "password": "%s", "passwordConfirm": "%s"}
                """
                        .formatted(name, name.toLowerCase(), PASSWORD, PASSWORD);
        return given().spec(json).body(account).post(USERS + "/records");
    }

    private static String credentials(String name, String password) {
        return "{\"identity\": \"" + name.toLowerCase() + "@example.com\", \"password\": \"" + password + "\"}";
    }

    private static JsonPath logIn(String name) {
        return given()
                .spec(json)
                .body(credentials(name, PASSWORD))
                .when()
                .post(USERS + "/auth-with-password")
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
    }

    private static RequestSpecification as(JsonPath session) {
        return given().spec(json).header("Authorization", session.getString("token"));
    }

    private static Response write(JsonPath session, String title, int views) {
        String author = session.getString("record.id");
        return as(session)
                .body(String.format("{\"title\": \"%s\", \"views\": %d, \"author\": \"%s\"}", title, views, author))
                .post(POSTS);
    }

    private HttpResponse<String> load(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(baseUrl() + path)).GET().build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    @Order(1)
    void healthy() throws Exception {
        HttpResponse<String> response = load("/api/health");
        assertEquals(200, response.statusCode());
        assertEquals("{\"message\":\"API is healthy.\",\"code\":200,\"data\":{}}", response.body().strip());
        assertEquals("Wed, 25 Nov 2026 15:54:38 GMT", response.headers().firstValue("Date").orElseThrow());
        assertEquals("application/json", response.headers().firstValue("Content-Type").get());
    }

    @Test
    @Order(2)
    void authMethods() {
        when().get(USERS + "/auth-methods")
                .then()
                .statusCode(200)
                .body("password.enabled", is(true))
                .body("password.identityFields", contains("email"))
                .body("oauth2.providers", hasSize(0))
                .body("mfa.enabled", is(false))
                .body("otp.duration", equalTo(0));
    }

    @Test
    @Order(3)
    void signUp() {
        signUp("Ada")
                .then()
                .statusCode(200)
                .body("id", equalTo("f41fnlv8lr3pf9e"))
                .body("name", equalTo("Ada"))
                .body("collectionId", equalTo("_pb_users_auth_"))
                .body("collectionName", equalTo("users"))
                .body("created", equalTo("2026-11-25 15:54:40.305Z"))
                .body("updated", equalTo("2026-11-25 15:54:40.305Z"))
                .body("avatar", emptyString())
                .body("verified", is(false))
                .body("$", not(hasKey("email")));
    }

    @Test
    @Order(4)
    @DisplayName("The same address cannot sign up twice")
    void signUpTwice() {
        Response response = signUp("Ada");
        JsonPath error = response.jsonPath();
        assertAll(
                () -> assertEquals(400, response.statusCode()),
                () -> assertEquals("Failed to create record.", error.getString("message")),
                () -> assertEquals("validation_not_unique", error.getString("data.email.code")),
                () -> assertEquals("Value must be unique.", error.getString("data.email.message")));
    }

    @Test
    @Order(5)
    void signUpWithTwoPasswords() {
        given()
                .contentType(ContentType.JSON)
                .body(
                        """
                        {
                          "email": "eve@example.com",
                          "password": "lovelace1815",
                          "passwordConfirm": "byron1788"
                        }
                        """)
                .post(USERS + "/records")
                .then()
                .statusCode(400)
                .body("status", is(400))
                .body("data.passwordConfirm", hasEntry("code", "validation_values_mismatch"));
    }

    @Test
    @Order(6)
    void logIn() {
        JsonPath session = logIn("Ada");
        String token = session.getString("token");
        assertThat(token, startsWith("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."));
        assertThat(token, hasLength(224));
        assertEquals(3, token.split("\\.").length);
        assertThat(session.getString("record.id"), is("f41fnlv8lr3pf9e"));
        assertThat(session.getString("record.email"), is("ada@example.com"));
        assertThat(session.getString("record.created"), equalTo("2026-11-25 15:54:40.305Z"));
        assertFalse(session.getBoolean("record.verified"));
    }

    @Test
    @Order(7)
    void wrongPassword() {
        given()
                .spec(json)
                .body(credentials("Ada", "byron1788"))
                .when()
                .post(USERS + "/auth-with-password")
                .then()
                .statusCode(400)
                .body("message", equalTo("Failed to authenticate."))
                .body("data", equalTo(Map.of()));
    }

    @Test
    @Order(8)
    void refresh() {
        JsonPath session = logIn("Ada");
        Response response = as(session).post(USERS + "/auth-refresh");
        assertEquals(200, response.getStatusCode());
        assertEquals(session.getString("record.id"), response.path("record.id"));
        assertEquals("Ada", response.path("record.name"));
        assertEquals(
                "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJjb2xsZWN0aW9uSWQiOiJfcGJfdXNlcnNfYXV0aF8iLCJleHAiOjE3OTYy"
                        + "MjY4ODEsImlkIjoiZjQxZm5sdjhscjNwZjllIiwicmVmcmVzaGFibGUiOnRydWUsInR5cGUiOiJhdXRoIn0."
                        + "lVE4aWTfQAe-e8SRtseRWnJ_-eiaZFN-F68CdAHk4GY",
                response.path("token"));
    }

    @Test
    @Order(9)
    void refreshWithoutToken() {
        given().post(USERS + "/auth-refresh")
                .then()
                .statusCode(401)
                .body("message", equalTo("The request requires valid record authorization token."));
    }

    @Test
    @Order(10)
    void writePost() {
        JsonPath ada = logIn("Ada");
        JsonPath post = write(ada, "On engines", 3).jsonPath();
        assertEquals("bjozp2zcgvyoepn", post.getString("id"));
        assertEquals("On engines", post.getString("title"));
        assertEquals(3, post.getInt("views"));
        assertEquals("f41fnlv8lr3pf9e", post.getString("author"));
        assertEquals("pbc_1125843985", post.getString("collectionId"));
        assertEquals("posts", post.getString("collectionName"));
        assertEquals("2026-11-25 15:54:41.921Z", post.getString("created"));
        assertEquals(post.getString("created"), post.getString("updated"));
    }

    @Test
    @Order(11)
    void readPost() throws Exception {
        String id = write(logIn("Ada"), "A note", 7).path("id");
        HttpResponse<String> response = load(POSTS + "/" + id);
        assertEquals(200, response.statusCode());
        JsonPath post = new JsonPath(response.body());
        assertEquals(id, post.getString("id"));
        assertEquals("A note", post.get("title"));
        assertEquals(7, post.<Integer>get("views"));
        assertEquals("2026-11-25 15:54:42.058Z", post.get("created"));
    }

    @Test
    @Order(12)
    void readPostWithAuthor() {
        String id = write(logIn("Ada"), "A letter", 1).path("id");
        given()
                .queryParam("expand", "author")
                .when()
                .get(POSTS + "/{id}", id)
                .then()
                .statusCode(200)
                .body("id", equalTo("0a31s2bwyfxefjt"))
                .body("author", equalTo("f41fnlv8lr3pf9e"))
                .body("expand.author.id", equalTo("f41fnlv8lr3pf9e"))
                .body("expand.author.name", equalTo("Ada"))
                .body("expand.author.updated", equalTo("2026-11-25 15:54:40.305Z"));
    }

    @Test
    @Order(13)
    void unknownPost() {
        when().get(POSTS + "/nope")
                .then()
                .statusCode(404)
                .body("status", equalTo(404))
                .body("message", equalTo("The requested resource wasn't found."));
    }

    @ParameterizedTest
    @Order(14)
    @CsvSource({
        "0, validation_required, Cannot be blank.",
        "61, validation_max_text_constraint, Must be no more than 60 character(s).",
    })
    void badTitles(int length, String code, String message) {
        write(logIn("Ada"), "x".repeat(length), 0)
                .then()
                .statusCode(400)
                .body("data.title.code", equalTo(code))
                .body("data.title.message", equalTo(message));
    }

    @Test
    @Order(15)
    void changePost() {
        JsonPath ada = logIn("Ada");
        JsonPath post = write(ada, "On engines", 3).jsonPath();
        JsonPath changed =
                as(ada)
                        .body("{\"title\": \"On looms\", \"views+\": 1}")
                        .patch(POSTS + "/" + post.getString("id"))
                        .then()
                        .statusCode(200)
                        .extract()
                        .body()
                        .jsonPath();
        assertThat(changed.getString("title"), is("On looms"));
        assertThat(changed.getInt("views"), is(4));
        assertThat(changed.getString("created"), is(post.getString("created")));
        assertThat(changed.getString("updated"), is("2026-11-25 15:54:42.892Z"));
    }

    @Test
    @Order(16)
    void nobodyElseMayChange() {
        String post = write(logIn("Ada"), "Mine", 0).path("id");
        String bob = signUp("Bob").then().statusCode(200).extract().path("id");
        assertEquals("0rlxcfw9j047got", bob);
        Response response = as(logIn("Bob")).body("{\"title\": \"His\"}").patch(POSTS + "/" + post);
        assertEquals(404, response.statusCode());
        assertEquals("Mine", RestAssured.get(POSTS + "/" + post).path("title"));
    }

    @Test
    @Order(17)
    void comment() {
        JsonPath ada = logIn("Ada");
        String post = write(ada, "On comments", 0).path("id");
        String body =
                """
                {"text": "Well said.", "post": "%s", "author": "%s"}
                """;
        Response made = as(ada).body(body.formatted(post, ada.getString("record.id"))).post(COMMENTS);
        made.then()
                .statusCode(200)
                .body("id", is("hm3ibbymwdcesgt"))
                .body("text", is("Well said."))
                .body("post", is("7kg9gmzebn3yoi7"));
        List<Map<String, Object>> found =
                given().queryParam("filter", "post='" + post + "'").get(COMMENTS).jsonPath().getList("items");
        assertEquals(1, found.size());
        assertEquals("Well said.", found.get(0).get("text"));
        assertEquals("hm3ibbymwdcesgt", found.get(0).get("id"));
        assertEquals("f41fnlv8lr3pf9e", found.get(0).get("author"));
    }

    @Test
    @Order(18)
    void mostSeen() {
        given()
                .queryParam("sort", "-views")
                .queryParam("perPage", 2)
                .get(POSTS)
                .then()
                .body("page", is(1))
                .body("perPage", is(2))
                .body("totalItems", is(6))
                .body("totalPages", is(3))
                .body("items", hasSize(2))
                .body("items.title", contains("A note", "On looms"))
                .body("items.views", contains(7, 4))
                .body("items.id", contains("f94tkd22kkc1kwl", "ebfsci6yj4q3l7p"))
                .body("items[0].created", equalTo("2026-11-25 15:54:42.058Z"));
    }

    @Test
    @Order(19)
    void people() {
        JsonPath page = given().queryParam("sort", "name").get(USERS + "/records").jsonPath();
        assertEquals(2, page.getInt("totalItems"));
        assertEquals(List.of("Ada", "Bob"), page.getList("items.name"));
        assertEquals(List.of("f41fnlv8lr3pf9e", "0rlxcfw9j047got"), page.getList("items.id"));
        assertThat(page.getList("items.verified"), everyItem(is(false)));
        assertTrue(page.getString("items[1].created").startsWith("2026-11-25 15:54"));
    }

    @Test
    @Order(20)
    void deletePost() {
        JsonPath ada = logIn("Ada");
        String id = write(ada, "Nothing", 0).path("id");
        Response gone = as(ada).delete(POSTS + "/" + id);
        assertEquals(204, gone.statusCode());
        assertEquals("", gone.asString());
        when().get(POSTS + "/" + id).then().statusCode(404);
    }

    @Test
    @Order(21)
    void collectionsAreForSuperusers() throws Exception {
        HttpResponse<String> response = load("/api/collections");
        assertEquals(401, response.statusCode());
        assertEquals(
                "{\"data\":{},\"message\":\"The request requires valid record authorization token.\",\"status\":401}",
                response.body().trim());
    }
}
