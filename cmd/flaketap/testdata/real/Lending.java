import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A library that lends books: java Lending.java PORT. Members sign up and log in, the librarian adds books and copies, members
 * borrow copies and return them. What is deleted answers 410 from then on. POST /admin/reset brings back the start.
 */
public final class Lending {
  private record Member(int id, String name, String password, String role) {}

  private static final class Book {
    final int id;
    final String title;
    final Map<Integer, Integer> copies = new TreeMap<>(); // the member who has each; 0 for nobody
    boolean gone;

    Book(int id, String title) {
      this.id = id;
      this.title = title;
    }

    String json() {
      return "{\"id\":%d,\"title\":\"%s\",\"copies\":%d}".formatted(id, title, copies.size());
    }
  }

  private record Loan(int id, int copy, int member, String due) {
    String json() {
      return "{\"id\":%d,\"copy\":%d,\"member\":%d,\"due\":\"%s\"}".formatted(id, copy, member, due);
    }
  }

  private record Answer(int status, String body) {}

  private final Map<Integer, Member> members = new LinkedHashMap<>();
  private final Map<String, Member> tokens = new LinkedHashMap<>();
  private final Map<Integer, Book> books = new TreeMap<>();
  private final Map<Integer, Loan> loans = new TreeMap<>();
  private int last; // the id that was given out last, of whatever

  public static void main(String[] args) throws IOException {
    Lending lending = new Lending();
    lending.reset();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])), 0);
    server.createContext("/", lending::serve);
    server.start();
  }

  private Answer reset() {
    members.clear();
    tokens.clear();
    books.clear();
    loans.clear();
    last = 100;
    members.put(1, new Member(1, "mara", "librarian-of-old", "librarian"));
    Book emma = new Book(1, "Emma");
    emma.copies.put(11, 0);
    books.put(1, emma);
    return new Answer(204, "");
  }

  private synchronized void serve(HttpExchange e) throws IOException {
    String body = new String(e.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String token = e.getRequestHeaders().getFirst("Authorization");
    Member who = token == null ? null : tokens.get(token.replaceFirst("^Bearer ", ""));
    Answer a = answer(e.getRequestMethod(), e.getRequestURI().getPath().substring(1).split("/"), body, who);
    byte[] out = a.body.getBytes(StandardCharsets.UTF_8);
    e.getResponseHeaders().set("Content-Type", "application/json");
    e.sendResponseHeaders(a.status, out.length == 0 ? -1 : out.length);
    e.getResponseBody().write(out);
    e.close();
  }

  private Answer answer(String method, String[] path, String body, Member who) {
    String id = path.length > 1 ? path[1] : "";
    String form = method + " " + path[0] + (path.length > 1 ? "/{}" : "") + (path.length > 2 ? "/" + path[2] : "");
    return switch (form) {
      case "GET health" -> new Answer(200, "{\"status\":\"up\"}");
      case "POST admin/{}" -> reset();
      case "POST members" -> signUp(text(body, "name"), text(body, "password"));
      case "GET members/{}" -> member(number(id));
      case "POST login" -> logIn(text(body, "name"), text(body, "password"));
      case "POST books" -> forLibrarian(who, () -> add(text(body, "title")));
      case "GET books" -> new Answer(200, "{\"books\":[" + titles() + "]}");
      case "GET books/{}" -> ofBook(number(id), b -> new Answer(200, b.json()));
      case "DELETE books/{}" -> forLibrarian(who, () -> ofBook(number(id), this::drop));
      case "POST books/{}/copies" -> forLibrarian(who, () -> ofBook(number(id), this::copy));
      case "GET copies/{}" -> whoHas(number(id));
      case "POST loans" -> who == null ? refused(401) : borrow(who, number(text(body, "copy")));
      case "GET loans/{}" -> who == null ? refused(401) : ofLoan(who, number(id), false);
      case "DELETE loans/{}" -> who == null ? refused(401) : ofLoan(who, number(id), true);
      default -> refused(404);
    };
  }

  private interface OfBook {
    Answer of(Book b);
  }

  private interface Task {
    Answer run();
  }

  private static Answer refused(int status) {
    return new Answer(status, "{\"error\":%d}".formatted(status));
  }

  private Answer forLibrarian(Member who, Task task) {
    if (who == null) {
      return refused(401);
    }
    return who.role.equals("librarian") ? task.run() : refused(403);
  }

  private Answer ofBook(int id, OfBook then) {
    Book b = books.get(id);
    if (b == null) {
      return refused(404);
    }
    return b.gone ? refused(410) : then.of(b);
  }

  private Answer signUp(String name, String password) {
    if (members.values().stream().anyMatch(m -> m.name.equals(name))) {
      return refused(409);
    }
    Member m = new Member(++last, name, password, "member");
    members.put(m.id, m);
    return new Answer(201, "{\"id\":%d,\"name\":\"%s\"}".formatted(m.id, name));
  }

  private Answer member(int id) {
    Member m = members.get(id);
    return m == null ? refused(404) : new Answer(200, "{\"id\":%d,\"name\":\"%s\",\"role\":\"%s\"}".formatted(id, m.name, m.role));
  }

  private Answer logIn(String name, String password) {
    for (Member m : members.values()) {
      if (m.name.equals(name) && m.password.equals(password)) {
        String token = UUID.randomUUID().toString();
        tokens.put(token, m);
        return new Answer(200, "{\"token\":\"%s\",\"member\":%d}".formatted(token, m.id));
      }
    }
    return refused(401);
  }

  private Answer add(String title) {
    Book b = new Book(++last, title);
    books.put(b.id, b);
    return new Answer(201, b.json());
  }

  private String titles() {
    return String.join(",", books.values().stream().filter(b -> !b.gone).map(Book::json).toList());
  }

  private Answer drop(Book b) {
    if (b.copies.values().stream().anyMatch(m -> m != 0)) {
      return refused(409);
    }
    b.gone = true;
    return new Answer(204, "");
  }

  private Answer copy(Book b) {
    b.copies.put(++last, 0);
    return new Answer(201, "{\"copy\":%d,\"book\":%d}".formatted(last, b.id));
  }

  private Answer whoHas(int copy) {
    for (Book b : books.values()) {
      if (b.copies.containsKey(copy)) {
        boolean lent = b.copies.get(copy) != 0;
        return b.gone ? refused(410) : new Answer(200, "{\"copy\":%d,\"book\":%d,\"lent\":%b}".formatted(copy, b.id, lent));
      }
    }
    return refused(404);
  }

  private Answer borrow(Member who, int copy) {
    for (Book b : books.values()) {
      Integer has = b.copies.get(copy);
      if (has == null || b.gone) {
        continue;
      }
      if (has != 0) {
        return refused(409);
      }
      b.copies.put(copy, who.id);
      Loan l = new Loan(++last, copy, who.id, java.time.LocalDate.now().plusDays(21).toString());
      loans.put(l.id, l);
      return new Answer(201, l.json());
    }
    return refused(404);
  }

  private Answer ofLoan(Member who, int id, boolean back) {
    Loan l = loans.get(id);
    if (l == null || l.member != who.id) {
      return refused(404);
    }
    if (!back) {
      return new Answer(200, l.json());
    }
    loans.remove(id);
    books.values().forEach(b -> b.copies.computeIfPresent(l.copy, (copy, had) -> 0));
    return new Answer(204, "");
  }

  private static String text(String json, String key) {
    Matcher m = Pattern.compile("\"" + key + "\"\\s*:\\s*\"?([^\",}]*)").matcher(json);
    return m.find() ? m.group(1) : "";
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
  }
}
