package shop;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.restassured.RestAssured;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllTest extends Base {
    private static HttpServer server;

    @BeforeAll
    static void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            say("sent " + exchange.getRequestURI());
            byte[] body = "{\"id\": \"7\", \"count\": 1, \"none\": null}".getBytes();
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        RestAssured.baseURI = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    @Test
    void goesOn() throws Exception {
        assertEquals(1, 2, "first");
        say("behind assertEquals");
        String id = given().get("/a").then().log().ifValidationFails().statusCode(201).body("id", is("8")).and().body("count", equalTo(2)).extract().path("id");
        say("behind links");
        ValidatableResponse res = get("/orders/" + id + "/x").then();
        res.assertThat().statusCode(404);
        say("behind variable");
        check("1", id);
        say("behind helper");
        assertThat(res.extract().path("none").toString(), is("x"));
        say("behind NullPointerException");
        if (id != null) assertEquals("8", id); else fail();
        for (String s : List.of("a", "b")) assertEquals("c", s);
        List.of("a").forEach(s -> {
            assertEquals("c", s);
            say("in forEach");
        });
        assertAll(
            () -> assertEquals(1, 2),
            () -> {
                assertEquals(1, 2);
                say("wrong");
            });
        switch (id) {
            case "7" + "":
                assertEquals(1, 2);
                say("in case");
                break;
            default:
                fail();
        }
        say("behind all");
    }

    @Test
    void ends() {
        Response res = get("/b");
        String none = res.path("none");
        assertNotNull(none, "none");
        say("behind none");
        assertEquals(200, get("/orders/" + none).statusCode());
        say("wrong");
    }

    @Test
    void breaks() {
        Map<String, String> answer = get("/c").jsonPath().getMap("");
        assertNotNull(answer.get("none"));
        given().queryParam("id", answer.get("id")).queryParam("x", answer.get("none").length()).get("/d");
        say("wrong");
    }

    @Test
    void waits() throws Exception {
        assertThrows(AssertionError.class, () -> check("1", "2"));
        assertThrows(AssertionError.class, () -> {
            get("/e").then().statusCode(500);
            say("wrong");
        });
        try {
            check("1", "2");
            say("wrong");
        } catch (AssertionError e) {
            say("caught");
        }
        try {
            other();
            get("/f").then().statusCode(500);
            say("wrong");
        } catch (IOException | AssertionError e) {
            say("caught too");
        } finally {
            say("finally");
        }
        retried(() -> check("1", "2"));
        int n = 0;
        while (true) {
            assertThrows(AssertionError.class, () -> assertEquals(1, 2));
            if (n++ > 2) {
                break;
            }
        }
        assertDoesNotThrow(() -> check("1", "1"));
        assertEquals(1, 1);
    }

    @Test
    void loops() {
        for (int i = 0; ; i++) {
            assertEquals(true, i < 3, "waited");
        }
    }

    @Test
    void assumes() {
        assumeTrue(false);
        say("wrong");
    }

    @Nested
    class Hooks {
        @BeforeEach
        void prepare() {
            assertEquals(1, 2, "not prepared");
            say("wrong");
        }

        @Test
        void hooked() {
            say("wrong");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/r", "/s"})
    void rows(String path) {
        get(path).then().statusCode(500);
        given().header("X", path).get(path + "/again").then().body("id", is("8"));
        fail("end");
    }
}
