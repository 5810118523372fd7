package flaketap;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON Pointers, in which * stands for every element and member, ~2 for a star itself and ~3 for
 * the @ of some keys.
 */
final class Pointer {
  /** Stands for what is not compared. */
  static final String MASKED = "<volatile>";

  private Pointer() {}

  /** Every value that a pointer matches; none if there is none. */
  static List<Object> each(Object value, String pointer) {
    List<Object> found = new ArrayList<>();
    found.add(value);
    for (String segment : segments(pointer)) {
      List<Object> below = new ArrayList<>();
      for (Object v : found) {
        children(v, segment, below);
      }
      found = below;
    }
    return found;
  }

  /** The value with {@link #MASKED} at what a pointer names. */
  static Object masked(Object value, String pointer) {
    return changed(value, segments(pointer), false);
  }

  /** The value without what a pointer names. Elements of arrays are masked. */
  static Object without(Object value, String pointer) {
    return changed(value, segments(pointer), true);
  }

  static String unescape(String segment) {
    if (segment.equals("~2")) {
      return "*";
    }
    if (segment.startsWith("~3")) {
      return "@" + segment.substring(2);
    }
    return segment.replace("~1", "/").replace("~0", "~");
  }

  private static List<String> segments(String pointer) {
    return pointer.isEmpty() ? List.of() : List.of(pointer.substring(1).split("/", -1));
  }

  private static boolean names(String segment, String key) {
    return segment.equals("*") || unescape(segment).equals(key);
  }

  private static void children(Object value, String segment, List<Object> out) {
    if (segment.equals("@jwt")) {
      if (value instanceof String text && Token.parts(text) != null) {
        out.add(Token.parts(text));
      }
    } else if (value instanceof Map<?, ?> object) {
      object.forEach(
          (key, v) -> {
            if (names(segment, (String) key)) {
              out.add(v);
            }
          });
    } else if (value instanceof Json.Pairs pairs) {
      pairs.members().stream()
          .filter(m -> names(segment, m.key()))
          .forEach(m -> out.add(m.value()));
    } else if (value instanceof List<?> array && segment.equals("*")) {
      out.addAll(array);
    } else if (value instanceof List<?> array && segment.matches("[0-9]{1,9}")) {
      if (Integer.parseInt(segment) < array.size()) {
        out.add(array.get(Integer.parseInt(segment)));
      }
    }
  }

  private static Object changed(Object value, List<String> path, boolean drop) {
    if (path.isEmpty()) {
      return MASKED;
    }
    String segment = path.get(0);
    List<String> rest = path.subList(1, path.size());
    boolean gone = drop && rest.isEmpty();
    if (value instanceof Map<?, ?> object) {
      Map<String, Object> out = new LinkedHashMap<>();
      object.forEach(
          (key, v) -> {
            if (!names(segment, (String) key)) {
              out.put((String) key, v);
            } else if (!gone) {
              out.put((String) key, changed(v, rest, drop));
            }
          });
      return out;
    }
    if (value instanceof Json.Pairs pairs) {
      return new Json.Pairs(
          pairs.members().stream()
              .filter(m -> !gone || !names(segment, m.key()))
              .map(
                  m ->
                      names(segment, m.key())
                          ? new Json.Member(m.key(), changed(m.value(), rest, drop))
                          : m)
              .toList());
    }
    if (value instanceof List<?> array) {
      List<Object> out = new ArrayList<>(array);
      for (int i = 0; i < out.size(); i++) {
        if (names(segment, String.valueOf(i))) {
          out.set(i, changed(out.get(i), rest, drop));
        }
      }
      return out;
    }
    return value;
  }
}
