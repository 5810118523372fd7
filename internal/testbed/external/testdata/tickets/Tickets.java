import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sells tickets of shows. The hall's inventory has the seats, a payment service takes the money, a scorer of frauds is
 * asked before that, and a bank says what other currencies are worth.
 */
public final class Tickets {
  static final Map<String, String> SERVICES = new HashMap<>(Map.of(
      "inventory", "http://inventory.stagehall.example:7443",
      "payments", "https://api.paygate.example",
      "fraud", "http://192.0.2.55:8181",
      "rates", "https://fx.centralbank.example"));
  static final Set<String> MENDED = Set.copyOf(Arrays.asList(env("MEND", "").split(",")));
  static final Duration TIMEOUT = Duration.ofMillis((long) (1000 * Double.parseDouble(env("TIMEOUT", "2")))); // for each call
  static final int ATTEMPTS = 3;

  static String env(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null ? otherwise : value;
  }

  /** An answer of ours: to what went well, and, thrown, to what did not. */
  static final class Reply extends RuntimeException {
    final int status;
    final Map<String, Object> body = new LinkedHashMap<>();
    final Map<String, String> headers = new HashMap<>();

    Reply(int status, Object... members) {
      super(String.valueOf(members.length > 1 ? members[1] : status), null, false, false);
      this.status = status;
      for (int i = 0; i + 1 < members.length; i += 2) with((String) members[i], members[i + 1]);
    }

    Reply with(String name, Object value) {
      body.put(name, value);
      return this;
    }
  }

  static Reply unavailable(String service, int status, String why) {
    return new Reply(status, "error", service + " " + why);
  }

  /** What a service answered. */
  record Answer(String service, int status, HttpResponse<String> response) {
    boolean fine() {
      return status >= 200 && status < 300;
    }

    Node json() {
      try {
        return new Node(service, new Json(response.body()).document());
      } catch (IllegalArgumentException e) {
        throw unavailable(service, 502, "sent no JSON");
      }
    }
  }

  /** A value of an answer; what is not as it has to be is the service's fault. */
  record Node(String service, Object value) {
    Node at(String name) {
      return new Node(service, value instanceof Map<?, ?> m ? m.get(name) : null);
    }

    <T> T as(Class<T> type, String what) {
      if (!type.isInstance(value)) throw unavailable(service, 502, "sent no " + what);
      return type.cast(value);
    }

    String text(String name) {
      return at(name).as(String.class, name);
    }

    double number(String name) {
      return at(name).as(Double.class, name);
    }

    String textOr(String name, String otherwise) {
      return at(name).value instanceof String s ? s : otherwise;
    }

    List<Node> list(String name) {
      List<Node> out = new ArrayList<>();
      for (Object o : at(name).as(List.class, name)) out.add(new Node(service, o));
      return out;
    }
  }

  static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  static Answer call(String service, String method, String path, Object body, Duration timeout) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(SERVICES.get(service) + path)).header("Accept", "application/json");
    if (timeout != null) request.timeout(timeout);
    if (body != null) request.header("Content-Type", "application/json");
    request.method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(Json.write(body)));
    try {
      HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(service, response.statusCode(), response);
    } catch (HttpTimeoutException e) {
      throw unavailable(service, 504, "does not answer in time");
    } catch (IOException e) {
      System.err.println(service + ": " + e);
      throw unavailable(service, 503, "cannot be reached");
    } catch (InterruptedException e) {
      throw unavailable(service, 503, "was interrupted");
    }
  }

  static Answer call(String service, String method, String path, Object body) {
    return call(service, method, path, body, TIMEOUT);
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // The state of the shop.
  record Order(String id, String state, String payment) {}

  static final Map<String, Order> orders = new ConcurrentHashMap<>();
  static final Map<String, Double> rates = new ConcurrentHashMap<>();
  static final AtomicInteger count = new AtomicInteger();

  static Reply reset() {
    orders.clear();
    rates.clear();
    count.set(2);
    orders.put("O-1", new Order("O-1", "pending", "p-1"));
    orders.put("O-2", new Order("O-2", "paid", "p-2"));
    return new Reply(200, "reset", true);
  }

  static Node show(String id) {
    Answer answer = call("inventory", "GET", "/shows/" + id, null);
    if (answer.status == 404) throw new Reply(404, "error", "no such event");
    if (!answer.fine()) throw unavailable("inventory", 503, "is unavailable");
    Node show = answer.json();
    if (show.text("status").equals("cancelled")) throw new Reply(410, "error", "the event is cancelled");
    return show;
  }

  static double rate(String currency) {
    Double known = rates.get(currency);
    if (known != null) return known;
    Answer answer = call("rates", "GET", "/rates/" + currency, null);
    if (answer.status == 404) throw new Reply(400, "error", "unknown currency");
    if (!answer.fine()) throw unavailable("rates", 503, "are unavailable");
    String text = answer.json().text("rate");
    if (MENDED.contains("rate-trace") && !text.matches("\\d+(\\.\\d+)?")) throw unavailable("rates", 502, "sent no number");
    double rate = Double.parseDouble(text);
    rates.put(currency, rate);
    return rate;
  }

  // GET /events/{id}
  static Reply event(String id, String currency) {
    Node show = show(id);
    Reply out = new Reply(200, "id", id, "title", show.text("title"));
    String starts = show.text("starts"), status = show.text("status");
    OffsetDateTime time;
    try {
      time = OffsetDateTime.parse(starts);
    } catch (DateTimeParseException e) {
      throw MENDED.contains("starts-format") ? unavailable("inventory", 502, "sent no time") : e;
    }
    out.with("available", status.equals("on_sale"));
    String moved = status.equals("postponed") ? show.textOr("new_date", "") : "";
    if (!moved.isEmpty()) out.with("new_date", moved);
    else if (status.equals("postponed")) out.with("date", "open");
    else out.with("date", time.toLocalDate().toString());
    double amount = show.at("price").number("amount") / 100;
    if (amount == 0) out.with("free", true);
    String shown = show.at("price").textOr("currency", "EUR");
    if (currency != null && !currency.equals(shown)) {
      boolean known = rates.containsKey(currency);
      try {
        amount = Math.round(amount * rate(currency) * 100) / 100.0;
        shown = currency;
        out.with("rate", known ? "kept" : "the bank's");
      } catch (Reply e) {
        if (e.status == 400) throw e;
        System.err.println("price of " + id + " is not converted: " + e.getMessage());
        out.with("note", "not converted");
      } catch (NumberFormatException e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        return new Reply(500, "error", "cannot convert", "trace", trace.toString());
      }
    }
    return out.with("price", amount).with("currency", shown);
  }

  // GET /events/{id}/seats
  static Reply seats(String id) {
    Answer answer = call("inventory", "GET", "/shows/" + id + "/seats", null);
    int tries = 1;
    for (; answer.status == 503 && tries < ATTEMPTS; tries++) {
      sleep(30);
      answer = call("inventory", "GET", "/shows/" + id + "/seats", null);
    }
    if (answer.status == 404) throw new Reply(404, "error", "no such event");
    if (!answer.fine()) throw unavailable("inventory", 503, "is unavailable");
    List<Node> sections = answer.json().list("sections");
    int left = 0, blocked = 0, together = 0;
    double from = Double.MAX_VALUE;
    for (Node section : sections) {
      for (Node row : section.list("rows")) {
        int run = 0;
        if (MENDED.contains("seats-null")) row.list("seats");
        List<?> seats = (List<?>) row.at("seats").value;
        for (int i = 0; i < seats.size(); i++) {
          Node seat = new Node("inventory", seats.get(i));
          String state = seat.text("state");
          run = state.equals("free") ? run + 1 : 0;
          together = Math.max(together, run);
          if (state.equals("blocked")) blocked++;
          if (state.equals("free")) {
            left++;
            from = Math.min(from, seat.at("factor").value instanceof Double d ? d : 1);
          }
        }
      }
    }
    Reply out = new Reply(200, "id", id, "left", left, "together", together, "tries", tries);
    if (sections.isEmpty()) return out.with("general_admission", true);
    if (left == 0) out.with("waiting", true);
    else out.with("from", from).with("last", left < 5);
    return blocked > 0 ? out.with("blocked", blocked) : out;
  }

  /** Asks the scorer of frauds: the risk, and -1 where it is not known. */
  static double risk(String email, double amount) {
    try {
      Duration timeout = MENDED.contains("fraud-hang") ? TIMEOUT : null;
      Answer answer = call("fraud", "POST", "/score", Map.of("email", email, "amount", amount), timeout);
      return answer.fine() ? answer.json().number("risk") : -1;
    } catch (Reply e) {
      System.err.println("order without a score: " + e.getMessage());
      return -1;
    }
  }

  record Paid(Node payment, int attempts) {}

  static Paid pay(String reservation, double amount) {
    for (int attempts = 1; ; attempts++) {
      Answer answer;
      try {
        answer = call("payments", "POST", "/payments", Map.of("amount", amount, "currency", "EUR", "reference", reservation));
      } catch (Reply e) {
        if (e.status == 504 && attempts == 1 && !MENDED.contains("paid-twice")) continue;
        throw e;
      }
      if (answer.status == 429) {
        String after = answer.response.headers().firstValue("Retry-After").orElse("0");
        if (MENDED.contains("retry-date") && !after.matches("\\d{1,6}")) after = "1";
        int wait = Integer.parseInt(after);
        if (attempts == ATTEMPTS || wait > 3) {
          Reply busy = unavailable("payments", 503, "are busy");
          busy.headers.put("Retry-After", String.valueOf(Math.max(wait, 1)));
          throw busy;
        }
        sleep(wait * 1000L);
      } else if (answer.status == 503) {
        if (attempts == ATTEMPTS && MENDED.contains("pay-endless")) throw unavailable("payments", 503, "are unavailable");
        sleep(40);
      } else if (answer.status == 402) {
        throw new Reply(402, "error", "the payment was declined", "reason", answer.json().textOr("reason", "unknown"));
      } else if (!answer.fine()) {
        throw unavailable("payments", 503, "are unavailable");
      } else {
        return new Paid(answer.json(), attempts);
      }
    }
  }

  static void release(String reservation) {
    try {
      call("inventory", "DELETE", "/reservations/" + reservation, null);
    } catch (Reply e) {
      System.err.println("reservation " + reservation + " is not released: " + e.getMessage());
    }
  }

  // POST /orders
  static Reply order(Node order) {
    if (!(order.at("event").value instanceof String event) || !(order.at("seats").value instanceof Double seats))
      throw new Reply(400, "error", "an order needs event and seats");
    String email = order.textOr("email", "nobody@example.org");
    Node show = show(event);
    double amount = show.at("price").number("amount") * seats / 100;
    Reply out = new Reply(201);
    if (seats >= 6) {
      amount *= 0.9;
      out.with("discount", 10);
    }
    Answer answer = call("inventory", "POST", "/reservations", Map.of("show", event, "seats", seats));
    if (answer.status == 409) throw new Reply(409, "error", "not enough seats", "left", answer.json().at("left").value);
    if (!answer.fine()) throw unavailable("inventory", 503, "is unavailable");
    String reservation = answer.json().text("reservation");
    double risk = risk(email, amount);
    if (risk > 0.8) {
      release(reservation);
      throw new Reply(403, "error", "we do not sell to you");
    }
    String id = "O-" + count.incrementAndGet();
    if (risk > 0.5) {
      orders.put(id, new Order(id, "review", null));
      return new Reply(202, "id", id, "state", "review");
    }
    if (risk < 0) out.with("unchecked", true);
    Paid paid;
    try {
      paid = pay(reservation, amount);
    } catch (Reply e) {
      release(reservation);
      throw e;
    }
    String payment = paid.payment.text("id"), state = paid.payment.text("state");
    for (int i = 0; i < 2 && state.equals("PENDING"); i++) {
      sleep(30);
      Answer again = call("payments", "GET", "/payments/" + payment, null);
      if (again.fine()) state = again.json().text("state");
      if (state.equals("DECLINED") && !MENDED.contains("late-decline-keeps-seats"))
        throw new Reply(402, "error", "the payment was declined", "reason", "unknown");
    }
    if (state.equals("PENDING")) {
      orders.put(id, new Order(id, "pending", payment));
      return new Reply(202, "id", id, "state", "pending");
    }
    if (state.equals("DECLINED") || MENDED.contains("state-unknown") && !state.equals("AUTHORISED")) {
      release(reservation);
      throw new Reply(402, "error", "the payment was declined", "reason", paid.payment.textOr("reason", "unknown"));
    }
    Answer commit = call("inventory", "POST", "/reservations/" + reservation + "/commit", null);
    if (commit.status == 409) {
      call("payments", "POST", "/payments/" + payment + "/refund", null);
      throw new Reply(409, "error", "the reservation has ended", "refunded", true);
    }
    if (MENDED.contains("commit-unchecked") && !commit.fine()) {
      call("payments", "POST", "/payments/" + payment + "/refund", null);
      throw unavailable("inventory", 503, "is unavailable");
    }
    Object tickets = commit.json().at("tickets").value;
    if (MENDED.contains("commit-unchecked") && !(tickets instanceof List)) throw unavailable("inventory", 502, "sent no tickets");
    orders.put(id, new Order(id, "paid", payment));
    return out.with("id", id).with("state", "paid").with("payment", state).with("tickets", tickets)
        .with("total", Math.round(amount * 100) / 100.0).with("attempts", paid.attempts);
  }

  static Order known(String id) {
    Order order = orders.get(id);
    if (order == null) throw new Reply(404, "error", "no such order");
    return order;
  }

  // GET /orders/{id}
  static Reply status(String id) {
    Order order = known(id);
    Reply out = new Reply(200, "id", id);
    if (!order.state.equals("pending")) return out.with("state", order.state);
    try {
      Answer answer = call("payments", "GET", "/payments/" + order.payment, null);
      if (answer.status == 404) return out.with("state", "lost");
      if (!answer.fine()) throw unavailable("payments", 503, "are unavailable");
      String state = answer.json().text("state");
      return out.with("state", state.equals("AUTHORISED") ? "paid" : state.equals("PENDING") ? "pending" : "failed");
    } catch (Reply e) {
      System.err.println("order " + id + " as it was: " + e.getMessage());
      return out.with("state", "pending").with("stale", true);
    }
  }

  // POST /orders/{id}/refund
  static Reply refund(String id) {
    Order order = known(id);
    if (!order.state.equals("paid")) throw new Reply(409, "error", "nothing was paid");
    Answer answer = call("payments", "POST", "/payments/" + order.payment + "/refund", null);
    if (answer.status == 409) return new Reply(200, "id", id, "already", true);
    if (answer.status == 422) throw new Reply(422, "error", "too late", "reason", answer.json().textOr("reason", "unknown"));
    if (!answer.fine()) throw unavailable("payments", 503, "are unavailable");
    Object state = MENDED.contains("refund-null") ? answer.json().text("state") : answer.json().at("state").value;
    if (state.toString().equals("QUEUED")) return new Reply(202, "id", id, "state", "queued");
    orders.put(id, new Order(id, "refunded", order.payment));
    return new Reply(200, "id", id, "state", "refunded");
  }

  static Node ordered(String body) {
    try {
      return new Node("client", new Json(body).document());
    } catch (IllegalArgumentException e) {
      throw new Reply(400, "error", "the body is no JSON");
    }
  }

  static Reply route(String method, URI uri, String body) {
    String[] path = uri.getPath().substring(1).split("/");
    String query = Objects.requireNonNullElse(uri.getQuery(), ""), id = path.length > 1 ? path[1] : "";
    String pattern = method + " " + path[0] + (path.length > 1 ? " id" : "") + (path.length > 2 ? " " + path[2] : "");
    return switch (pattern) {
      case "GET health" -> new Reply(200, "status", "up");
      case "POST reset" -> reset();
      case "GET events id" -> event(id, query.startsWith("currency=") ? query.substring(9) : null);
      case "GET events id seats" -> seats(id);
      case "POST orders" -> order(ordered(body));
      case "GET orders id" -> status(id);
      case "POST orders id refund" -> refund(id);
      default -> new Reply(404, "error", "no such resource");
    };
  }

  static void serve(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8), what = exchange.getRequestMethod();
    Reply reply;
    try {
      reply = route(what, exchange.getRequestURI(), body);
    } catch (Reply e) {
      if (e.status >= 500) System.err.println(what + " " + exchange.getRequestURI() + ": " + e.getMessage());
      reply = e;
    } catch (RuntimeException e) {
      System.err.println(what + " " + exchange.getRequestURI() + ": " + e);
      e.printStackTrace();
      reply = new Reply(500, "error", "internal error");
    }
    byte[] data = Json.write(reply.body).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    reply.headers.forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(reply.status, data.length);
    exchange.getResponseBody().write(data);
    exchange.close();
  }

  public static void main(String[] args) throws IOException {
    for (String pair : env("SERVICES", "").split(",")) {
      if (pair.contains("=")) SERVICES.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
    }
    int port = Integer.parseInt(args.length > 1 && args[0].equals("--port") ? args[1] : env("PORT", "8000"));
    reset();
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 64);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", Tickets::serve);
    server.start();
    System.err.println("tickets listens on " + port);
  }
}
