package flaketap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The values at a place of an answer. What is asserted is asserted of each of them. */
final class Values {
  private final String place;
  private final List<Object> values;
  private final double made; // when the answer was made, in seconds since 1970

  Values(String place, List<Object> values, double made) {
    this.place = place;
    this.values = values;
    this.made = made;
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  /** Ignores the values at some pointers, which must be there. */
  Values masking(String... pointers) {
    List<Object> out = values;
    for (String pointer : pointers) {
      out = out.stream().map(v -> Pointer.masked(v, pointer)).toList();
    }
    return new Values(place, out, made);
  }

  /** Ignores what is at some pointers, there or not. */
  Values without(String... pointers) {
    List<Object> out = values;
    for (String pointer : pointers) {
      out = out.stream().map(v -> Pointer.without(v, pointer)).toList();
    }
    return new Values(place, out, made);
  }

  /** Continues with the values that are not null. */
  Values unlessNull() {
    return new Values(place, values.stream().filter(Objects::nonNull).toList(), made);
  }

  /** Continues with the values that are texts. */
  Values ifText() {
    return new Values(place, values.stream().filter(String.class::isInstance).toList(), made);
  }

  /** Each is this JSON. */
  Values isJson(String... json) {
    String expected = Json.canonical(Json.parse(String.join("", json)));
    values.forEach(v -> assertEquals(expected, Json.canonical(v), place));
    return this;
  }

  /** Each is one of these JSON values. */
  Values isOneOf(String... json) {
    List<String> expected = Arrays.stream(json).map(Json::parse).map(Json::canonical).toList();
    return all("one of " + expected, v -> expected.contains(Json.canonical(v)));
  }

  /** Each is an array of these elements, in any order. */
  Values hasItems(String... json) {
    String expected = elements(Json.parse(String.join("", json))).sorted().toList().toString();
    all("an array", List.class::isInstance);
    values.forEach(v -> assertEquals(expected, elements(v).sorted().toList().toString(), place));
    return this;
  }

  /** Each is an array of these elements, in any order and number. */
  Values hasSetOf(String... json) {
    String expected =
        elements(Json.parse(String.join("", json))).sorted().distinct().toList().toString();
    all("an array", List.class::isInstance);
    values.forEach(
        v -> assertEquals(expected, elements(v).sorted().distinct().toList().toString(), place));
    return this;
  }

  /**
   * Each is an array that has these elements, each as often as it is given, whatever else it has.
   */
  Values hasAmongItems(String... json) {
    List<String> expected = elements(Json.parse(String.join("", json))).toList();
    all("an array", List.class::isInstance);
    return all(
        "an array with " + expected,
        v -> {
          List<String> left = new ArrayList<>(elements(v).toList());
          return expected.stream().allMatch(left::remove);
        });
  }

  /** Each is an object that has these keys. */
  Values hasKeys(String... keys) {
    for (String key : keys) {
      all(
          "an object with the key " + key,
          v ->
              v instanceof Map<?, ?> object && object.containsKey(key)
                  || v instanceof Json.Pairs pairs
                      && pairs.members().stream().anyMatch(m -> m.key().equals(key)));
    }
    return this;
  }

  /** The text of each is this one. */
  Values isText(String expected) {
    values.forEach(v -> assertEquals(expected, Json.textOf(v), place));
    return this;
  }

  /** The text of one of them is this one. */
  Values someIsText(String expected) {
    assertTrue(
        values.stream().anyMatch(v -> expected.equals(Json.textOf(v))),
        () -> place + " has no " + expected + " among " + values);
    return this;
  }

  /** The text of each ends with this one. */
  Values endsWith(String end) {
    return all("what ends in " + end, v -> Json.textOf(v).endsWith(end));
  }

  /** Each is of one of the JSON types, as in "null|string". */
  Values isType(String names) {
    return all(
        "of type " + names, v -> Stream.of(names.split("\\|")).anyMatch(name -> isType(v, name)));
  }

  /** Each is written as the name says: rfc3339, uuid, hex:32 and so on. */
  Values isFormat(String name) {
    Pattern pattern = Formats.pattern(name);
    return all(
        "written as " + name,
        v ->
            v instanceof String text
                && pattern.matcher(text).matches()
                && (!name.equals("jwt") || Token.parts(text) != null));
  }

  /** The whole of each matches a regular expression. */
  Values matches(String expression) {
    Pattern pattern = Pattern.compile(expression, Pattern.UNIX_LINES);
    return all(
        "what matches " + expression,
        v -> v instanceof String text && pattern.matcher(text).matches());
  }

  /** Each is a number, or the text of one, that is not less. */
  Values isAtLeast(String low) {
    return all(
        "at least " + low, v -> number(v) != null && number(v).compareTo(new BigDecimal(low)) >= 0);
  }

  /** Each is a number, or the text of one, that is not more. */
  Values isAtMost(String high) {
    return all(
        "at most " + high,
        v -> number(v) != null && number(v).compareTo(new BigDecimal(high)) <= 0);
  }

  /** Each is a text or an array of a length within these bounds. */
  Values hasLength(int least, int most) {
    return all("of length " + least + " to " + most, v -> length(v) >= least && length(v) <= most);
  }

  /** Each is a text of so many characters at least, or an array of so many elements. */
  Values hasLength(int least) {
    return all("of length " + least + " or more", v -> length(v) >= least);
  }

  /**
   * Each is null, or a time so many seconds after the answer was made, within some seconds of it.
   */
  Values isNear(long after, int within) {
    return all(
        "a time " + after + " s after its answer, within " + within + " s",
        v -> v == null || Moment.isNear(v, within, made + after));
  }

  /** Each is a text that holds this one. */
  Values mentions(String part) {
    return all("what holds " + part, v -> v instanceof String text && text.contains(part));
  }

  private Values all(String what, Predicate<Object> is) {
    for (Object v : values) {
      assertTrue(is.test(v), () -> place + " is not " + what + ": " + Json.canonical(v));
    }
    return this;
  }

  private static Stream<String> elements(Object array) {
    return array instanceof List<?> list ? list.stream().map(Json::canonical) : Stream.of();
  }

  private static int length(Object value) {
    if (value instanceof String text) {
      return text.codePointCount(0, text.length());
    }
    return value instanceof List<?> array ? array.size() : -1;
  }

  private static BigDecimal number(Object value) {
    try {
      return new BigDecimal(Json.textOf(value));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static boolean isType(Object value, String name) {
    return switch (name) {
      case "null" -> value == null;
      case "boolean" -> value instanceof Boolean;
      case "integer" -> value instanceof Json.Num number && number.isInteger();
      case "number" -> value instanceof Json.Num;
      case "string" -> value instanceof String;
      case "array" -> value instanceof List;
      case "object" -> value instanceof Map || value instanceof Json.Pairs;
      default -> false;
    };
  }
}
