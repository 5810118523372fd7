package flaketap;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Reads JSON without loss. An object is a Map, or {@link Pairs} if a key occurs twice; an array is
 * a List; a number is a {@link Num}, as it was written.
 */
final class Json {
  /** A number as it was written. */
  record Num(String token) {
    BigDecimal value() {
      return new BigDecimal(token);
    }

    /** Whether it was written without fraction and exponent. */
    boolean isInteger() {
      return token.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
    }
  }

  /** A member of an object. */
  record Member(String key, Object value) {}

  /** An object with a duplicate key: its members in order. */
  record Pairs(List<Member> members) {}

  private static final int DEEPEST = 1000;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Reads one JSON value; throws an IllegalArgumentException if the text is not JSON. */
  static Object parse(String text) {
    Json reader = new Json(text.startsWith("\ufeff") ? text.substring(1) : text);
    Object value = reader.value(0);
    reader.blanks();
    if (reader.at < reader.text.length()) {
      throw reader.wrong();
    }
    return value;
  }

  /**
   * A text that is the same for equal values, laid out for people: keys in order, numbers by value.
   */
  static String canonical(Object value) {
    return canonical(value, "");
  }

  /** The text that stands for a scalar in a path, a query or a header. */
  static String textOf(Object value) {
    if (value instanceof Num number) {
      return number.token();
    }
    return value instanceof Map || value instanceof List || value instanceof Pairs
        ? canonical(value)
        : String.valueOf(value);
  }

  /** A text as a JSON string. */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> out.append(c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
      }
    }
    return out.append('"').toString();
  }

  private static String canonical(Object value, String indent) {
    String inner = indent + "  ";
    if (value instanceof Map<?, ?> object) {
      StringJoiner out = new StringJoiner(",\n" + inner, "{\n" + inner, "\n" + indent + "}");
      out.setEmptyValue("{}");
      new TreeMap<>(object)
          .forEach((key, v) -> out.add(quoted((String) key) + ": " + canonical(v, inner)));
      return out.toString();
    }
    if (value instanceof Pairs pairs) {
      StringJoiner out = new StringJoiner(",\n" + inner, "{\n" + inner, "\n" + indent + "}");
      pairs.members().forEach(m -> out.add(quoted(m.key()) + ": " + canonical(m.value(), inner)));
      return out.toString();
    }
    if (value instanceof List<?> array) {
      StringJoiner out = new StringJoiner(",\n" + inner, "[\n" + inner, "\n" + indent + "]");
      out.setEmptyValue("[]");
      array.forEach(v -> out.add(canonical(v, inner)));
      return out.toString();
    }
    if (value instanceof Num number) {
      return canonical(number);
    }
    return value instanceof String string ? quoted(string) : String.valueOf(value);
  }

  private static String canonical(Num number) {
    try {
      return number.value().stripTrailingZeros().toString();
    } catch (ArithmeticException | NumberFormatException e) {
      return number.token(); // of an exponent that no decimal has
    }
  }

  private Object value(int depth) {
    blanks();
    if (at == text.length() || depth > DEEPEST) {
      throw wrong();
    }
    switch (text.charAt(at)) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      default:
        return word();
    }
  }

  private Object object(int depth) {
    List<Member> members = new ArrayList<>();
    Map<String, Object> object = new LinkedHashMap<>();
    for (boolean more = begins('}'); more; more = goesOn('}')) {
      blanks();
      String key = string();
      blanks();
      expect(':');
      members.add(new Member(key, value(depth + 1)));
      object.put(key, members.get(members.size() - 1).value());
    }
    return object.size() == members.size() ? object : new Pairs(members);
  }

  private Object array(int depth) {
    List<Object> array = new ArrayList<>();
    for (boolean more = begins(']'); more; more = goesOn(']')) {
      array.add(value(depth + 1));
    }
    return array;
  }

  /** Passes over an opening bracket, and over the closing one of an empty container. */
  private boolean begins(char close) {
    at++;
    blanks();
    if (at < text.length() && text.charAt(at) == close) {
      at++;
      return false;
    }
    return true;
  }

  /** Passes over a comma, or over the closing bracket. */
  private boolean goesOn(char close) {
    blanks();
    if (at < text.length() && text.charAt(at) == ',') {
      at++;
      return true;
    }
    expect(close);
    return false;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c < ' ') {
        throw wrong();
      }
      out.append(c == '\\' ? escaped() : c);
    }
    expect('"');
    return out.toString();
  }

  private char escaped() {
    if (at == text.length()) {
      throw wrong();
    }
    char c = text.charAt(at++);
    switch (c) {
      case '"', '\\', '/':
        return c;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        if (at + 4 <= text.length() && text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
          at += 4;
          return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        throw wrong();
      default:
        throw wrong();
    }
  }

  private Object word() {
    int from = at;
    while (at < text.length() && ",:]}\"[{ \t\r\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(from, at);
    switch (word) {
      case "null":
        return null;
      case "true":
        return true;
      case "false":
        return false;
      default:
        if (word.matches("-?(0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][+-]?[0-9]++)?")) {
          return new Num(word);
        }
        throw wrong();
    }
  }

  private void blanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private void expect(char c) {
    if (at == text.length() || text.charAt(at) != c) {
      throw wrong();
    }
    at++;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("no JSON from character " + at + " on: " + text);
  }
}
