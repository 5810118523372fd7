import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.annotations.SerializedName;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.json.JSONObject;

/** Clients of the three services behind the shop, and the shapes of their answers. */
final class Services {
  static final String INVENTORY = "http://inventory.internal:8101";
  static final String PRICING = "http://pricing.internal:8102";
  static final String COURIERS = "http://couriers.internal:8103";

  static final ObjectMapper MAPPER =
      new ObjectMapper()
          .registerModule(new Jdk8Module())
          .registerModule(new JavaTimeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
  static final Gson GSON = new Gson();

  private Services() {}

  // ---------------------------------------------------------------- errors

  /** A service could not be asked, or its answer cannot be used. */
  static class UpstreamException extends RuntimeException {
    UpstreamException(String message) {
      super(message);
    }

    UpstreamException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The service says that it does not know the thing. */
  static class NotFoundException extends RuntimeException {
    NotFoundException(String message) {
      super(message);
    }
  }

  // ------------------------------------------------------------- transport

  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(3))
          .build();

  private static String send(HttpRequest.Builder builder, URI uri) {
    HttpRequest request =
        builder
            .uri(uri)
            .timeout(Duration.ofSeconds(8))
            .header("Accept", "application/json")
            .build();
    HttpResponse<String> response;
    try {
      response = HTTP.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UpstreamException(uri.getHost() + " cannot be reached", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UpstreamException(uri.getHost() + ": interrupted", e);
    }
    if (response.statusCode() == 404) {
      throw new NotFoundException(uri.getHost() + " has no " + uri.getPath());
    }
    if (response.statusCode() / 100 != 2) {
      throw new UpstreamException(uri.getHost() + " answered " + response.statusCode());
    }
    return response.body();
  }

  private static String get(String base, String path) {
    return send(HttpRequest.newBuilder().GET(), URI.create(base + path));
  }

  private static String post(String base, String path, Object body) throws IOException {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(MAPPER.writeValueAsString(body)));
    return send(builder, URI.create(base + path));
  }

  static String enc(String s) {
    return URLEncoder.encode(s, StandardCharsets.UTF_8).replace("+", "%20");
  }

  // ------------------------------------------------- inventory: one item

  enum ItemStatus {
    ACTIVE,
    PREORDER,
    DISCONTINUED,
    UNKNOWN;

    @JsonCreator
    static ItemStatus of(String text) {
      for (ItemStatus s : values()) {
        if (s.name().equals(String.valueOf(text).toUpperCase(Locale.ROOT))) {
          return s;
        }
      }
      return UNKNOWN;
    }
  }

  @JsonIgnoreProperties({"internalNotes", "buyer"})
  record Item(
      String sku,
      @JsonProperty("title") @JsonAlias({"name", "label"}) String title,
      ItemStatus status,
      Stock stock,
      Optional<Dimensions> dimensions,
      List<String> tags,
      @JsonProperty("hazmat_class") Integer hazmatClass) {
    int free() {
      return stock.warehouses().stream().mapToInt(w -> w.count() - w.reserved()).sum()
          - stock.safetyLevel();
    }
  }

  record Stock(List<Warehouse> warehouses, @JsonProperty("safety_level") int safetyLevel) {}

  record Warehouse(String code, int count, int reserved) {}

  record Dimensions(
      @JsonProperty("weight_g") int weightGrams, @JsonProperty("box_mm") List<Integer> box) {}

  static Item item(String id) throws IOException {
    return MAPPER.readValue(get(INVENTORY, "/items/" + enc(id)), Item.class);
  }

  // ---------------------------------------------- inventory: list of items

  static class Page<T> {
    private List<T> results = new ArrayList<>();
    private Paging paging;

    public List<T> getResults() {
      return results;
    }

    public void setResults(List<T> results) {
      this.results = results;
    }

    public Paging getPaging() {
      return paging;
    }

    public void setPaging(Paging paging) {
      this.paging = paging;
    }
  }

  static class Paging {
    public int number;

    @JsonProperty("total_pages")
    public int totalPages;

    public String next;
  }

  static class ItemSummary {
    @JsonProperty("article_no")
    private String articleNumber;

    private String name;
    private int quantity;
    private Category category;

    public String getArticleNumber() {
      return articleNumber;
    }

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    public int getQuantity() {
      return quantity;
    }

    @JsonProperty("qty")
    public void setQuantity(int quantity) {
      this.quantity = quantity;
    }

    public Category getCategory() {
      return category;
    }

    public void setCategory(Category category) {
      this.category = category;
    }
  }

  static class Category {
    public String slug;

    @JsonProperty("parent_slug")
    public String parentSlug;
  }

  static Page<ItemSummary> items(String category, int page) throws IOException {
    String body = get(INVENTORY, "/items?category=" + enc(category) + "&page=" + page);
    return MAPPER.readValue(body, new TypeReference<Page<ItemSummary>>() {});
  }

  // --------------------------------------------- inventory: availability

  static JsonObject availability(String id) {
    return JsonParser.parseString(get(INVENTORY, "/items/" + enc(id) + "/availability"))
        .getAsJsonObject();
  }

  // --------------------------------------------- inventory: reservations

  enum ReservationState {
    @JsonProperty("confirmed")
    CONFIRMED,
    @JsonProperty("partial")
    PARTIAL,
    @JsonProperty("rejected")
    REJECTED
  }

  static final class Reservation {
    private final String id;
    private final ReservationState state;
    private final Instant holdUntil;
    private final List<Allocation> allocations;

    @JsonCreator
    Reservation(
        @JsonProperty(value = "reservation_id", required = true) String id,
        @JsonProperty(value = "state", required = true) ReservationState state,
        @JsonProperty("hold_until") Instant holdUntil,
        @JsonProperty("allocations") List<Allocation> allocations) {
      this.id = id;
      this.state = state;
      this.holdUntil = holdUntil;
      this.allocations = allocations == null ? List.of() : List.copyOf(allocations);
    }

    String id() {
      return id;
    }

    ReservationState state() {
      return state;
    }

    Optional<Instant> holdUntil() {
      return Optional.ofNullable(holdUntil);
    }

    List<Allocation> allocations() {
      return allocations;
    }
  }

  record Allocation(String warehouse, @JsonProperty("units") int units, String bin) {}

  static Reservation reserve(String sku, int quantity) throws IOException {
    String body = post(INVENTORY, "/reservations", Map.of("sku", sku, "quantity", quantity));
    return MAPPER.readValue(body, Reservation.class);
  }

  // --------------------------------------------------- inventory: report

  record Turnover(
      @JsonProperty("sold_30d") int sold, @JsonProperty("return_rate") double returnRate) {}

  static Map<String, Object> stockReport() throws IOException {
    return MAPPER.readValue(
        get(INVENTORY, "/reports/stock"), new TypeReference<Map<String, Object>>() {});
  }

  // -------------------------------------------------------------- pricing

  static JsonNode price(String sku, String currency) throws IOException {
    return MAPPER.readTree(get(PRICING, "/prices/" + enc(sku) + "?currency=" + enc(currency)));
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> bulkPrices(List<String> skus) throws IOException {
    return MAPPER.readValue(
        post(PRICING, "/bulk-prices", Map.of("skus", skus)), Map.class);
  }

  record Tier(@JsonProperty("min_qty") int minQuantity, @JsonProperty("unit_net") BigDecimal net) {}

  static List<Tier> tiers(String sku) throws IOException {
    return MAPPER.readValue(
        get(PRICING, "/prices/" + enc(sku) + "/tiers"), new TypeReference<List<Tier>>() {});
  }

  static JsonNode valuation() throws IOException {
    return MAPPER.readTree(get(PRICING, "/valuation"));
  }

  static class Quote {
    @SerializedName("quote_id")
    String id;

    @SerializedName(value = "expires_at", alternate = {"expiresAt"})
    String expiresAt;

    List<QuoteLine> lines;
    Totals totals;

    @SerializedName("approval_needed")
    boolean approvalNeeded;

    transient String receivedBy = "api";
  }

  static class QuoteLine {
    String sku;
    int quantity;

    @SerializedName("unit_price")
    double unitPrice;

    String note;
  }

  static class Totals {
    BigDecimal net;
    BigDecimal vat;
    BigDecimal gross;
  }

  static Quote quote(Object request) throws IOException {
    return GSON.fromJson(post(PRICING, "/quotes", request), Quote.class);
  }

  // ------------------------------------------------------------- couriers

  static class Rate {
    String carrier;

    @SerializedName("service_level")
    String level;

    Money amount;
    Integer days;
    boolean express;
  }

  static class Money {
    double value;
    String currency;
  }

  static List<Rate> rates(String country) {
    return GSON.fromJson(
        get(COURIERS, "/rates?country=" + enc(country)),
        new TypeToken<List<Rate>>() {}.getType());
  }

  static JSONObject track(String number) {
    return new JSONObject(get(COURIERS, "/track/" + enc(number)));
  }

  static JSONObject carriers() {
    return new JSONObject(get(COURIERS, "/carriers"));
  }

  static JsonNode book(Object request) throws IOException {
    return MAPPER.readTree(post(COURIERS, "/bookings", request));
  }
}
