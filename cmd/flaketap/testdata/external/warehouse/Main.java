import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/** The shop's public API; asks inventory, pricing and couriers. */
public class Main {
  interface Handler {
    Object handle(Request request) throws IOException;
  }

  record Route(String method, Pattern path, int status, Handler handler) {}

  record Request(Matcher match, Map<String, String> query, String body) {
    String id() {
      return URLDecoder.decode(match.group(1), StandardCharsets.UTF_8);
    }

    JsonNode json() {
      try {
        JsonNode node = Services.MAPPER.readTree(body);
        if (node == null || !node.isObject()) {
          throw new ApiException(400, "a JSON object is expected");
        }
        return node;
      } catch (JsonProcessingException e) {
        throw new ApiException(400, "the body is not JSON");
      }
    }
  }

  static class ApiException extends RuntimeException {
    final int status;

    ApiException(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  private static final List<Route> ROUTES =
      List.of(
          route("GET", "/products", 200, Main::listProducts),
          route("GET", "/products/([^/]+)", 200, Main::product),
          route("GET", "/availability/([^/]+)", 200, Main::availability),
          route("POST", "/quotes", 201, Main::quote),
          route("POST", "/orders", 201, Main::order),
          route("GET", "/shipments/([^/]+)", 200, Main::shipment),
          route("GET", "/couriers", 200, Main::couriers),
          route("GET", "/reports/stock", 200, Main::stockReport));

  private static Route route(String method, String path, int status, Handler handler) {
    return new Route(method, Pattern.compile(path), status, handler);
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", Main::serve);
    server.start();
    System.out.println("listening on " + port);
  }

  private static void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getRawPath();
      String method = exchange.getRequestMethod();
      if (path.equals("/health")) {
        exchange.sendResponseHeaders(method.equals("GET") ? 204 : 405, -1);
        return;
      }
      int status = 404;
      Object answer = Map.of("error", "no such resource");
      for (Route route : ROUTES) {
        Matcher m = route.path().matcher(path);
        if (!m.matches()) {
          continue;
        }
        if (!route.method().equals(method)) {
          status = 405;
          answer = Map.of("error", "method not allowed");
          continue;
        }
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Request request = new Request(m, query(exchange.getRequestURI().getRawQuery()), body);
        try {
          answer = route.handler().handle(request);
          status = route.status();
        } catch (ApiException e) {
          status = e.status;
          answer = Map.of("error", e.getMessage());
        } catch (Services.NotFoundException e) {
          status = 404;
          answer = Map.of("error", e.getMessage());
        } catch (Services.UpstreamException e) {
          status = 502;
          answer = Map.of("error", e.getMessage());
        } catch (JsonProcessingException
            | JsonParseException
            | JSONException
            | DateTimeParseException
            | ClassCastException
            | NullPointerException
            | IllegalStateException
            | IllegalArgumentException
            | UnsupportedOperationException e) {
          System.err.println(method + " " + path + ": " + e);
          status = 502;
          answer = Map.of("error", "unexpected answer of a service");
        }
        break;
      }
      byte[] bytes = Services.MAPPER.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> out = new HashMap<>();
    if (raw != null) {
      for (String pair : raw.split("&")) {
        String[] kv = pair.split("=", 2);
        out.put(kv[0], kv.length < 2 ? "" : URLDecoder.decode(kv[1], StandardCharsets.UTF_8));
      }
    }
    return out;
  }

  // ------------------------------------------------------ GET /products/{id}

  private static Object product(Request request) throws IOException {
    Services.Item item = Services.item(request.id());
    if (item.sku() == null) {
      throw new Services.UpstreamException("inventory: item without sku");
    }
    JsonNode price =
        Services.price(item.sku(), request.query().getOrDefault("currency", "EUR"));
    JsonNode amount = price.at("/price/amount");
    if (amount.isMissingNode() || !amount.isNumber()) {
      throw new Services.UpstreamException("pricing: no amount for " + item.sku());
    }

    List<Map<String, Object>> discounts = new ArrayList<>();
    double factor = 1;
    for (JsonNode d : price.path("discounts")) {
      double percent = d.get("percent").asDouble();
      if (discounts.isEmpty() || d.path("stackable").asBoolean(false)) {
        factor *= 1 - percent / 100;
      }
      discounts.add(Map.of("kind", d.path("kind").asText("other"), "percent", percent));
    }

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", item.sku());
    out.put("title", item.title() == null ? "(untitled)" : item.title());
    out.put("orderable", item.status() == Services.ItemStatus.ACTIVE && item.free() > 0);
    out.put("status", item.status());
    out.put("free", item.free());
    out.put(
        "warehouses",
        item.stock().warehouses().stream()
            .map(Services.Warehouse::code)
            .collect(Collectors.toList()));
    item.dimensions()
        .ifPresent(
            d -> {
              out.put("weightKg", d.weightGrams() / 1000.0);
              if (d.box() != null) {
                out.put("volumeCm3", d.box().stream().mapToLong(i -> i).reduce(1, (a, b) -> a * b) / 1000.0);
              }
            });
    out.put("tags", item.tags() == null ? List.of() : item.tags());
    if (item.hazmatClass() != null) {
      out.put("hazardous", Map.of("class", item.hazmatClass()));
    }
    out.put("listPrice", amount.decimalValue());
    out.put("price", Math.round(amount.doubleValue() * factor * 100) / 100.0);
    out.put("currency", price.path("price").path("currency").asText("EUR"));
    out.put("discounts", discounts);
    if (price.hasNonNull("valid_until")) {
      out.put("priceValidUntil", price.get("valid_until").asText());
    }
    return out;
  }

  // ----------------------------------------------------------- GET /products

  @SuppressWarnings("unchecked")
  private static Object listProducts(Request request) throws IOException {
    String category = request.query().get("category");
    if (category == null || category.isBlank()) {
      throw new ApiException(400, "category is needed");
    }
    int page;
    try {
      page = Integer.parseInt(request.query().getOrDefault("page", "1"));
    } catch (NumberFormatException e) {
      throw new ApiException(400, "page is no number");
    }
    Services.Page<Services.ItemSummary> found = Services.items(category, page);
    List<String> skus =
        found.getResults().stream()
            .map(Services.ItemSummary::getArticleNumber)
            .collect(Collectors.toList());
    Map<String, Object> prices =
        skus.isEmpty() ? Map.of() : Services.bulkPrices(skus);
    Map<String, Object> bySku =
        (Map<String, Object>) prices.getOrDefault("prices", Map.of());

    List<Object> products = new ArrayList<>();
    for (Services.ItemSummary s : found.getResults()) {
      Map<String, Object> p = new LinkedHashMap<>();
      p.put("id", s.getArticleNumber());
      p.put("name", s.getName());
      p.put("inStock", s.getQuantity() > 0);
      p.put("quantity", s.getQuantity());
      if (s.getCategory() != null) {
        p.put("category", s.getCategory().slug);
        p.put("parentCategory", s.getCategory().parentSlug);
      }
      Map<String, Object> price = (Map<String, Object>) bySku.get(s.getArticleNumber());
      if (price != null) {
        double net = ((Number) price.get("net")).doubleValue();
        Object vat = price.get("vat_rate");
        p.put("gross", net * (1 + (vat instanceof Number ? ((Number) vat).doubleValue() : 0.19)));
        p.put("onSale", Boolean.TRUE.equals(price.get("on_sale")));
      }
      products.add(p);
    }

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("products", products);
    out.put("currency", String.valueOf(prices.getOrDefault("currency", "EUR")));
    Services.Paging paging = found.getPaging();
    out.put("page", paging == null ? page : paging.number);
    out.put("pages", paging == null ? 1 : paging.totalPages);
    out.put("more", paging != null && paging.next != null);
    return out;
  }

  // -------------------------------------------------- GET /availability/{id}

  private static Object availability(Request request) {
    String region = request.query().getOrDefault("region", "central");
    JsonObject root = Services.availability(request.id());
    JsonObject regions = root.getAsJsonObject("regions");
    if (regions == null) {
      throw new Services.UpstreamException("inventory: regions are missing");
    }
    if (!regions.has(region)) {
      throw new ApiException(404, "no such region: " + region);
    }
    JsonObject local = regions.getAsJsonObject(region);
    int onHand = local.get("on_hand").getAsInt();
    int leadDays = local.has("lead_days") ? local.get("lead_days").getAsInt() : 14;

    List<Object> suppliers = new ArrayList<>();
    JsonArray listed = root.getAsJsonArray("suppliers");
    if (listed != null) {
      for (JsonElement e : listed) {
        JsonObject supplier = e.getAsJsonObject();
        JsonElement eta = supplier.get("eta");
        Map<String, Object> s = new LinkedHashMap<>();
        s.put("supplier", supplier.getAsJsonPrimitive("code").getAsString());
        s.put("eta", eta == null || eta.isJsonNull() ? "unknown" : eta.getAsString());
        suppliers.add(s);
      }
    }

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("region", region);
    out.put("onHand", onHand);
    out.put("deliveryDays", onHand > 0 ? 1 : leadDays);
    out.put("backorder", root.get("backorder_allowed").getAsBoolean());
    out.put("suppliers", suppliers);
    return out;
  }

  // ------------------------------------------------------------ POST /quotes

  private static Object quote(Request request) throws IOException {
    JsonNode body = request.json();
    JsonNode wanted = body.path("lines");
    if (!wanted.isArray() || wanted.isEmpty()) {
      throw new ApiException(422, "lines are needed");
    }
    boolean express = body.path("express").asBoolean(false);
    Services.Quote quote =
        Services.quote(Map.of("lines", wanted, "customer", body.path("customer").asText("guest")));
    if (quote.totals == null || quote.totals.gross == null) {
      throw new Services.UpstreamException("pricing: quote without totals");
    }
    List<Services.Rate> rates = Services.rates(body.path("country").asText("DE"));
    Services.Rate best =
        rates.stream()
            .filter(r -> !express || r.express)
            .min(Comparator.comparingDouble(r -> r.amount.value))
            .orElseThrow(() -> new ApiException(409, "no courier delivers that"));

    List<Object> lines = new ArrayList<>();
    for (Services.QuoteLine line : quote.lines) {
      Map<String, Object> l = new LinkedHashMap<>();
      l.put("sku", line.sku);
      l.put("quantity", line.quantity);
      l.put("total", line.unitPrice * line.quantity);
      if (line.note != null) {
        l.put("note", line.note);
      }
      lines.add(l);
    }

    Map<String, Object> shipping = new LinkedHashMap<>();
    shipping.put("carrier", best.carrier);
    shipping.put("level", best.level == null ? "standard" : best.level);
    shipping.put("cost", best.amount.value);
    shipping.put("currency", best.amount.currency);
    shipping.put("days", best.days == null ? 7 : best.days);

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("quote", quote.id);
    out.put("expires", quote.expiresAt);
    out.put("lines", lines);
    out.put("net", quote.totals.net);
    out.put("vat", quote.totals.vat);
    out.put("total", quote.totals.gross.add(BigDecimal.valueOf(best.amount.value)));
    out.put("binding", !quote.approvalNeeded);
    out.put("shipping", shipping);
    return out;
  }

  // ------------------------------------------------------------ POST /orders

  private static Object order(Request request) throws IOException {
    JsonNode body = request.json();
    String sku = body.path("sku").asText("");
    int quantity = body.path("quantity").asInt(1);
    if (sku.isEmpty() || quantity < 1) {
      throw new ApiException(422, "sku and a positive quantity are needed");
    }

    Services.Reservation reservation = Services.reserve(sku, quantity);
    if (reservation.state() == Services.ReservationState.REJECTED) {
      throw new ApiException(409, "out of stock");
    }
    int units = reservation.allocations().stream().mapToInt(Services.Allocation::units).sum();

    BigDecimal unitNet =
        Services.tiers(sku).stream()
            .filter(t -> t.minQuantity() <= quantity)
            .max(Comparator.comparingInt(Services.Tier::minQuantity))
            .map(Services.Tier::net)
            .orElse(null);

    Map<String, Object> booking = new LinkedHashMap<>();
    booking.put("reference", reservation.id());
    booking.put("country", body.path("country").asText("DE"));
    booking.put("units", units);
    JsonNode booked = Services.book(booking);
    if (!booked.hasNonNull("booking_id")) {
      throw new Services.UpstreamException("couriers: booking without id");
    }

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("order", reservation.id());
    out.put("complete", reservation.state() == Services.ReservationState.CONFIRMED);
    out.put("units", units);
    out.put(
        "picks",
        reservation.allocations().stream()
            .map(a -> a.warehouse() + "/" + (a.bin() == null ? "floor" : a.bin()))
            .collect(Collectors.toList()));
    reservation.holdUntil().ifPresent(t -> out.put("heldUntil", t.toString()));
    if (unitNet != null) {
      out.put("net", unitNet.multiply(BigDecimal.valueOf(quantity)));
    }
    out.put("booking", booked.get("booking_id").textValue());
    out.put("label", booked.path("label").path("url").asText("not printed yet"));
    out.put("labelPages", booked.at("/label/pages").asInt(1));
    out.put("pickupFrom", booked.at("/pickup/window/0").asText());
    out.put("shippingCents", booked.required("cost_cents").asLong());
    return out;
  }

  // -------------------------------------------------- GET /shipments/{number}

  private static Object shipment(Request request) {
    JSONObject root = Services.track(request.id());
    JSONObject shipment = root.getJSONObject("shipment");
    JSONArray events = root.getJSONArray("events");

    List<Object> history = new ArrayList<>();
    Instant first = null;
    Instant last = null;
    for (int i = 0; i < events.length(); i++) {
      JSONObject event = events.getJSONObject(i);
      Instant at = Instant.parse(event.getString("at"));
      first = first == null || at.isBefore(first) ? at : first;
      last = last == null || at.isAfter(last) ? at : last;
      Map<String, Object> h = new LinkedHashMap<>();
      h.put("at", at.toString());
      h.put("what", event.optString("description", event.getString("code")));
      JSONObject geo = event.optJSONObject("geo");
      if (geo != null) {
        h.put("position", List.of(geo.getDouble("lat"), geo.getDouble("lon")));
      }
      history.add(h);
    }

    int grams = 0;
    JSONArray parcels = shipment.optJSONArray("parcels");
    if (parcels != null) {
      for (Object p : parcels) {
        grams += ((JSONObject) p).optInt("weight_g", 0);
      }
    }
    List<String> alerts = new ArrayList<>();
    JSONArray warned = root.optJSONArray("alerts");
    for (int i = 0; warned != null && i < warned.length(); i++) {
      alerts.add(warned.getString(i));
    }

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("state", shipment.getString("state"));
    out.put("carrier", shipment.optString("carrier", "unknown"));
    out.put("parcels", parcels == null ? 1 : parcels.length());
    out.put("weightKg", grams / 1000.0);
    if (first != null) {
      out.put("underwayHours", Duration.between(first, last).toHours());
    }
    if (shipment.has("signed_by") && !shipment.isNull("signed_by")) {
      out.put("signedBy", shipment.getString("signed_by"));
    }
    out.put("history", history);
    out.put("alerts", alerts);
    return out;
  }

  // ----------------------------------------------------------- GET /couriers

  private static Object couriers(Request request) {
    String country = request.query().getOrDefault("country", "DE");
    List<Object> out = new ArrayList<>();
    JSONObject answer = Services.carriers();
    for (Object o : answer.getJSONArray("carriers")) {
      JSONObject carrier = (JSONObject) o;
      List<Object> services = new ArrayList<>();
      JSONArray offered = carrier.getJSONArray("services");
      for (int i = 0; i < offered.length(); i++) {
        JSONObject service = offered.getJSONObject(i);
        JSONObject transit = service.getJSONObject("transit");
        Map<String, Object> s = new LinkedHashMap<>();
        s.put("code", service.getString("code"));
        s.put("days", transit.getInt("min_days") + "-" + transit.optInt("max_days", 10));
        s.put("tracked", service.optBoolean("tracked", false));
        services.add(s);
      }
      Map<String, Object> c = new LinkedHashMap<>();
      c.put("id", carrier.getString("id"));
      c.put("name", carrier.optString("display_name", carrier.getString("id")));
      c.put("rating", carrier.optDouble("rating", 0));
      JSONObject surcharges = carrier.optJSONObject("surcharges");
      c.put("surcharge", surcharges == null ? 0 : surcharges.optDouble(country, 0));
      c.put("services", services);
      out.add(c);
    }
    return Map.of("country", country, "couriers", out);
  }

  // ------------------------------------------------------ GET /reports/stock

  @SuppressWarnings("unchecked")
  private static Object stockReport(Request request) throws IOException {
    Map<String, Object> report = Services.stockReport();
    JsonNode valuation = Services.valuation();
    JsonNode costs = valuation.get("costs");
    if (costs == null) {
      throw new Services.UpstreamException("pricing: costs are missing");
    }
    JsonNode fx = valuation.path("meta").findValue("fx_rate");
    double rate = fx == null ? 1 : fx.asDouble(1);

    double value = 0;
    List<Object> rows = new ArrayList<>();
    for (Map<String, Object> row : (List<Map<String, Object>>) report.get("rows")) {
      String sku = (String) row.get("sku");
      int onHand = ((Number) row.get("on_hand")).intValue();
      Map<String, Object> r = new LinkedHashMap<>();
      r.put("sku", sku);
      r.put("onHand", onHand);
      r.put("zone", row.getOrDefault("zone", "-"));
      Services.Turnover turnover =
          Services.MAPPER.convertValue(row.get("turnover"), Services.Turnover.class);
      if (turnover != null) {
        r.put("sold", turnover.sold());
        r.put("returned", Math.round(turnover.sold() * turnover.returnRate()));
      }
      value += onHand * costs.path(sku).path("unit_cost").asDouble(0) * rate;
      rows.add(r);
    }

    Map<String, Double> shares = new LinkedHashMap<>();
    for (JsonNode group : valuation.withArray("groups")) {
      shares.put(group.get("name").asText(), group.path("share").doubleValue());
    }

    Map<String, Object> out = new LinkedHashMap<>();
    out.put("generated", String.valueOf(report.get("generated_at")));
    out.put("rows", rows);
    out.put("value", value);
    out.put("shares", shares);
    if (report.get("summary") instanceof Map<?, ?> summary && summary.containsKey("open_orders")) {
      out.put("openOrders", ((Number) summary.get("open_orders")).longValue());
    }
    return out;
  }
}
