import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON: maps, lists, strings, doubles, booleans and null. */
final class Json {
  private static final int DEEPEST = 100;
  private final String text;
  private int at;

  Json(String text) {
    this.text = text;
  }

  Object document() {
    Object value = value(0);
    space();
    if (at != text.length()) throw wrong();
    return value;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("no JSON at " + at);
  }

  private char next() {
    if (at >= text.length()) throw wrong();
    return text.charAt(at++);
  }

  private boolean skip(char c) {
    space();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private Object value(int depth) {
    if (depth > DEEPEST) throw wrong();
    if (skip('{')) return object(depth);
    if (skip('[')) return list(depth);
    if (skip('"')) return string();
    for (String word : new String[] {"true", "false", "null"}) {
      if (text.startsWith(word, at)) {
        at += word.length();
        return word.equals("null") ? null : word.equals("true");
      }
    }
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
    if (from == at) throw wrong();
    return Double.valueOf(text.substring(from, at)); // a NumberFormatException is an IllegalArgumentException
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> out = new LinkedHashMap<>();
    if (skip('}')) return out;
    do {
      if (!skip('"')) throw wrong();
      String name = string();
      if (!skip(':')) throw wrong();
      out.put(name, value(depth + 1));
    } while (skip(','));
    if (!skip('}')) throw wrong();
    return out;
  }

  private List<Object> list(int depth) {
    List<Object> out = new ArrayList<>();
    if (skip(']')) return out;
    do out.add(value(depth + 1)); while (skip(','));
    if (!skip(']')) throw wrong();
    return out;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char escaped = next();
      int known = "nrtbf".indexOf(escaped);
      if (known >= 0) out.append("\n\r\t\b\f".charAt(known));
      else if (escaped == 'u' && at + 4 <= text.length()) out.append((char) Integer.parseInt(text.substring(at, at += 4), 16));
      else out.append(escaped);
    }
    return out.toString();
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> e : map.entrySet()) {
        out.append(before);
        write(e.getKey(), out);
        out.append(':');
        write(e.getValue(), out);
        before = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      String before = "[";
      for (Object o : list) {
        out.append(before);
        write(o, out);
        before = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof String s) {
      quote(s, out);
    } else if (value instanceof Double d && d == Math.rint(d) && Math.abs(d) < 1e15) {
      out.append(d.longValue());
    } else {
      out.append(value);
    }
  }

  private static void quote(String s, StringBuilder out) {
    out.append('"');
    for (char c : s.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    out.append('"');
  }
}
