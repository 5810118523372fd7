import static io.restassured.RestAssured.given;

import io.restassured.RestAssured;
import io.restassured.config.RedirectConfig;
import io.restassured.config.RestAssuredConfig;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A suite that asserts what it saw when it was run for the first time, literally. */
public class Suite {
    private static final Path FILE = Path.of("seen.txt");
    private static final String JSON = "application/json";
    private static final List<String> seen = new ArrayList<>();
    private static List<String> wanted;

    public static void main(String[] args) throws Exception {
        RestAssured.baseURI = System.getenv("FLAKETAP_URL");
        RestAssured.config = RestAssuredConfig.config().redirect(RedirectConfig.redirectConfig().followRedirects(false));
        RestAssured.urlEncodingEnabled = false;
        if (Files.exists(FILE)) {
            wanted = Files.readAllLines(FILE);
        }
        send("GET", "/products", given());
        Response product = send("GET", "/products/1", given());
        send("GET", "/products/1", given().header("If-None-Match", product.getHeader("ETag")));
        Response account = send("POST", "/accounts", given().contentType(JSON).body(
            "{\"email\":\"guest@example.com\",\"password\":\"open sesame\",\"displayName\":\"G\",\"birthDate\":\"1990-05-17\"}"));
        send("GET", account.getHeader("Location"), given());
        Response login = send("POST", "/login", given().contentType(JSON).body(
            "{\"email\":\"ada@cafe.de\",\"password\":\"lovelace\"}"));
        send("GET", "/orders", given().header("Authorization", "Bearer " + login.path("token")));
        Response cart = send("GET", "/cart", given().cookies(login.getCookies()));
        send("POST", "/cart/items", given().cookies(login.getCookies()).header("X-CSRF-Token", (String) cart.path("csrfToken"))
            .contentType(JSON).body("{\"product\":3,\"quantity\":2}"));
        for (int id = 1; id < 4; id++) {
            send("GET", "/prices/estimate?product=" + id, given());
        }
        Response found = send("GET", "/search?q=o", given());
        send("GET", "/search?q=o&cursor=" + found.path("cursor"), given());
        Response entry = send("POST", "/guestbook", given().contentType(JSON).body("{\"author\":\"G\",\"text\":\"I was here.\"}"));
        send("GET", "/guestbook/" + entry.path("id"), given());
        for (String path : List.of("/health", "/health/uptime", "/health/machine", "/debug/crash")) {
            send("GET", path, given());
        }
        if (wanted == null) {
            Files.write(FILE, seen);
        }
    }

    private static Response send(String method, String path, RequestSpecification request) {
        Response answer = request.request(method, path);
        StringBuilder line = new StringBuilder(method + " " + path + " " + answer.statusCode());
        for (String name : List.of("Content-Type", "ETag", "Location")) {
            line.append(" ").append(answer.getHeader(name));
        }
        String text = line.append(" ").append(answer.asString()).toString().replace("\n", "\\n").replace("\r", "\\r");
        seen.add(text);
        if (wanted != null && !wanted.get(seen.size() - 1).equals(text)) {
            throw new AssertionError("expected " + wanted.get(seen.size() - 1) + "\nbut was  " + text);
        }
        return answer;
    }
}
