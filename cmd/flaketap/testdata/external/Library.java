import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.annotations.SerializedName;
import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.json.JSONArray;
import org.json.JSONObject;

/** The desk of a library, which asks six services, and reads each answer by another way. */
public final class Library {
  enum Binding { HARDCOVER, PAPERBACK, @JsonProperty("e-book") EBOOK }

  record Author(String name, int born) {}

  static final class Book {
    public String title;
    public BigDecimal price;
    public Binding binding;
    public List<Author> authors;
    @JsonProperty("page_count")
    public int pages;
    public boolean lendable;
  }

  enum Mood { GOOD, @SerializedName("so-so") FAIR }

  static final class Review {
    String text;
    int stars;
    Mood mood;
    @SerializedName("written_by")
    Critic critic;
  }

  static final class Critic {
    String name;
    transient int seen;
  }

  static final class Reviews {
    List<Review> reviews;
    Double average;
  }

  static final HttpClient CLIENT = HttpClient.newHttpClient();
  static final OkHttpClient OK = new OkHttpClient();
  static final ObjectMapper JACKSON = new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
  static final Gson GSON = new Gson();

  static <T> HttpResponse<T> ask(String url, HttpResponse.BodyHandler<T> as) throws Exception {
    return CLIENT.send(HttpRequest.newBuilder(URI.create(url)).build(), as);
  }

  /** A class of Jackson's, from a stream. */
  static Object catalog() throws Exception {
    try (InputStream in = ask("http://catalog.example.com/books/1", HttpResponse.BodyHandlers.ofInputStream()).body()) {
      Book b = JACKSON.readValue(in, Book.class);
      return Map.of("title", b.title, "by", b.authors.get(0).name(), "price", b.price, "thick", b.pages > 300, "lendable", b.lendable);
    }
  }

  /** A tree of Jackson's, from a text. */
  static Object stock() throws Exception {
    JsonNode all = JACKSON.readTree(ask("http://203.0.113.9:8080/stock", HttpResponse.BodyHandlers.ofString()).body());
    int copies = 0;
    List<String> names = new ArrayList<>();
    for (JsonNode branch : all.path("branches")) {
      copies += branch.path("copies").asInt();
      names.add(branch.get("name").textValue());
    }
    return Map.of("copies", copies, "names", names, "recalled", all.path("recalled").asBoolean(), "updated", all.at("/meta/updated").asText());
  }

  /** A class of Gson's, from a reader, over TLS. */
  static Object reviews() throws Exception {
    try (Response response = OK.newCall(new Request.Builder().url("https://reviews.example.com/books/1").build()).execute()) {
      Reviews r = GSON.fromJson(response.body().charStream(), Reviews.class);
      return Map.of("average", r.average, "last", r.reviews.get(0).text, "critic", r.reviews.get(0).critic.name);
    }
  }

  /** A tree of Gson's. */
  static Object rates() throws Exception {
    HttpURLConnection c = (HttpURLConnection) new URL("http://rates.example.com/latest").openConnection();
    try (Reader in = new InputStreamReader(c.getInputStream(), StandardCharsets.UTF_8)) {
      JsonObject all = JsonParser.parseReader(in).getAsJsonObject();
      double fee = 0;
      if (all.has("fees")) {
        for (JsonElement e : all.getAsJsonArray("fees")) fee += e.getAsJsonObject().get("amount").getAsDouble();
      }
      return Map.of("base", all.get("base").getAsString(), "usd", all.getAsJsonObject("rates").get("USD").getAsDouble(), "fee", fee);
    }
  }

  /** org.json. */
  static Object loans() throws Exception {
    JSONObject all = new JSONObject(ask("http://loans.example.com/mine", HttpResponse.BodyHandlers.ofString()).body());
    JSONArray loans = all.getJSONArray("loans");
    List<Object> due = new ArrayList<>();
    for (int i = 0; i < loans.length(); i++) due.add(loans.getJSONObject(i).getString("due") + loans.getJSONObject(i).optInt("renewals"));
    return Map.of("due", due, "blocked", all.optBoolean("blocked"));
  }

  /** A map of Jackson's. */
  static Object member() throws Exception {
    Map<?, ?> m = JACKSON.readValue(ask("http://members.example.com/me", HttpResponse.BodyHandlers.ofByteArray()).body(), Map.class);
    Map<?, ?> card = (Map<?, ?>) m.get("card");
    return Map.of("tier", m.get("tier"), "points", ((Number) m.get("points")).intValue(), "card", card.get("number"));
  }

  interface Route {
    Object answer() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    Map<String, Route> routes = new LinkedHashMap<>();
    routes.put("/health", Map::of);
    routes.put("/catalog", Library::catalog);
    routes.put("/stock", Library::stock);
    routes.put("/reviews", Library::reviews);
    routes.put("/rates", Library::rates);
    routes.put("/loans", Library::loans);
    routes.put("/member", Library::member);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
    routes.forEach((path, route) -> server.createContext(path, exchange -> {
      int status = 200;
      Object body;
      try {
        body = route.answer();
      } catch (Exception e) {
        status = 502;
        body = Map.of("error", e.getClass().getSimpleName()); // it does not say what was wrong
      }
      byte[] bytes = JACKSON.writeValueAsBytes(body);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    }));
    server.start();
  }
}
