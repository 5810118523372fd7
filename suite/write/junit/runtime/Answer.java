package flaketap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.restassured.response.Response;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the API answered, with the assertions that REST-assured has no words for. */
final class Answer {
  private final Response res;

  Answer(Response res) {
    this.res = res;
  }

  static Answer answer(Response res) {
    return new Answer(res);
  }

  /** The value at a place, which must be there: /status, /header/etag, /body/items/0/price. */
  Values at(String place) {
    Values found = each(place);
    if (found.isEmpty()) {
      fail("nothing at " + place + " of " + this);
    }
    return found;
  }

  /** Every value at a place, in which * stands for each element and member; there may be none. */
  Values each(String place) {
    return new Values(place, found(place), made());
  }

  /** The body, for comparing all of it. */
  Values body() {
    return at("/body");
  }

  /**
   * When it was made, in seconds since 1970: by its Date, else by the clock of this machine, now.
   */
  private double made() {
    Moment date = Moment.of(res.header("Date"));
    return date == null ? System.currentTimeMillis() / 1000.0 : date.begin();
  }

  void isEmpty() {
    assertEquals("", text(), "the body");
  }

  void hasText(String expected) {
    assertEquals(expected, text(), "the body");
  }

  void hasDigest(int length, String sha256) {
    byte[] body = res.asByteArray();
    assertEquals(length, body.length, "the length of the body");
    assertEquals(
        sha256, HexFormat.of().formatHex(Digest.of("sha256", body)), "the SHA-256 of the body");
  }

  /** The lines of a header. */
  void hasHeader(String name, String... lines) {
    assertEquals(List.of(lines), res.headers().getValues(name), "the header " + name);
  }

  void setsCookie(String name) {
    assertTrue(cookie(name) != null, () -> "no cookie " + name + " in " + res.headers());
  }

  /**
   * Asserts that a value relates to others of the same answer, or, behind "=", to values that are
   * known: "=17". Within an array this is checked for each element. If a value is missing or null,
   * nothing is asserted.
   */
  void isRelated(String relation, String place, String... of) {
    assertTrue(
        Related.holds(this::found, relation, place, List.of(of)),
        () -> place + " is not the " + relation + " of " + Arrays.toString(of) + " in " + this);
  }

  /**
   * Asserts that the text at a place holds the digest of the text at another: "md5", "/body". It is
   * there in hex, or so many digits of that where they are not 0, or else in base64. What begins
   * with "=" is no place, but a text that is known: "=tea". /body is the body as it came.
   */
  void hasDigestOf(String place, String kind, String of, int digits) {
    byte[] content = of.equals("/body") ? res.asByteArray() : textAt(of).getBytes(UTF_8);
    assertTrue(
        Digest.isIn(textAt(place), Digest.of(kind, content), digits),
        () -> place + " is not the " + kind + " of " + of + " in " + this);
  }

  private String textAt(String place) {
    if (place.startsWith("=")) {
      return place.substring(1);
    }
    List<Object> values = found(place);
    assertFalse(values.isEmpty(), () -> "nothing at " + place + " of " + this);
    return Json.textOf(values.get(0));
  }

  List<Object> found(String place) {
    String[] parts = place.split("/", -1);
    switch (parts[1]) {
      case "status":
        return List.of(new Json.Num(String.valueOf(res.statusCode())));
      case "header":
        List<String> lines = res.headers().getValues(Pointer.unescape(parts[2]));
        String within = place.substring("/header/".length() + parts[2].length());
        return lines.isEmpty() ? List.of() : Pointer.each(String.join("\n", lines), within);
      default:
        String pointer = place.substring("/body".length());
        return isJson() && (!pointer.isEmpty() || looksLikeJson())
            ? Pointer.each(json(), pointer)
            : pointer.isEmpty() ? List.of(text()) : List.of();
    }
  }

  /** The text of a value that later requests use; null if there is none. */
  String taken(String place) {
    String[] parts = place.split("/", -1);
    if (parts[1].equals("body")) {
      List<Object> values = scalars(place.substring("/body".length()));
      return values.isEmpty() ? null : Json.textOf(values.get(0));
    }
    List<String> rest = Arrays.stream(parts).skip(3).map(Pointer::unescape).toList();
    if (parts[2].equals("set-cookie")) {
      String cookie = rest.isEmpty() ? null : cookie(rest.get(0));
      return cookie != null && rest.size() > 1 ? unquoted(cookie) : cookie;
    }
    List<String> lines = res.headers().getValues(Pointer.unescape(parts[2]));
    String value = lines.isEmpty() ? null : String.join(", ", lines);
    return value == null || rest.isEmpty() ? value : ofUrl(value, rest);
  }

  /** The texts of all values that stand in the place's list. */
  List<String> listed(String place) {
    String pointer = place.substring("/body".length()).replaceAll("/[0-9]+(?=/|$)", "/*");
    return scalars(pointer).stream().map(Json::textOf).toList();
  }

  private List<Object> scalars(String pointer) {
    try {
      List<Object> values = new ArrayList<>(Pointer.each(json(), pointer));
      values.removeIf(v -> v instanceof Map || v instanceof List || v instanceof Json.Pairs);
      return values;
    } catch (IllegalArgumentException e) {
      return pointer.isEmpty() ? List.of(text()) : List.of();
    }
  }

  /** A part of a URL in a header: a segment of its path, or a value of its query. */
  private static String ofUrl(String value, List<String> part) {
    Matcher link = Pattern.compile("<([^>]*)>").matcher(value);
    String url = (link.find() ? link.group(1) : value).replaceFirst("#.*", "");
    String path =
        url.replaceFirst("\\?.*", "").replaceFirst("^([A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*", "");
    if (part.get(0).equals("path")) {
      String[] segments = path.replaceAll("^/+|/+$", "").split("/", -1);
      int index = Integer.parseInt(part.get(1));
      return index < segments.length ? unquoted(segments[index].replace("+", "%2B")) : null;
    }
    int index = part.size() > 2 ? Integer.parseInt(part.get(2)) : 0;
    for (String pair : url.replaceFirst("^[^?]*\\??", "").split("&")) {
      String[] member = pair.split("=", 2);
      if (member.length > 1 && unquoted(member[0]).equals(part.get(1)) && index-- == 0) {
        return unquoted(member[1]);
      }
    }
    return null;
  }

  private static String unquoted(String text) {
    try {
      return URLDecoder.decode(text, UTF_8);
    } catch (IllegalArgumentException e) { // a percent sign that escapes nothing
      return text;
    }
  }

  private String cookie(String name) {
    String found = null;
    for (String line : res.headers().getValues("Set-Cookie")) {
      String[] pair = line.split(";", 2)[0].split("=", 2);
      if (pair[0].strip().equals(name)) {
        found = pair.length < 2 ? "" : pair[1].strip().replaceAll("^\"+|\"+$", "");
      }
    }
    return found;
  }

  /** Whether the body is JSON by its Content-Type, or, without one, by its text. */
  private boolean isJson() {
    String header = res.header("Content-Type");
    String type =
        header == null ? "" : header.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
    return type.isEmpty()
        ? looksLikeJson()
        : type.equals("application/json") || type.equals("text/json") || type.endsWith("+json");
  }

  private boolean looksLikeJson() {
    try {
      json();
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private Object json() {
    return Json.parse(text());
  }

  private String text() {
    return new String(res.asByteArray(), UTF_8);
  }

  @Override
  public String toString() {
    String text = text();
    return "the answer "
        + res.statusCode()
        + ": "
        + (text.length() > 500 ? text.substring(0, 500) + "…" : text);
  }
}
