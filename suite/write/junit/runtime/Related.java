package flaketap;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a value relates to others. */
final class Related {
  private static final Pattern ELEMENTS = Pattern.compile(".*/\\*(?=/|$)");

  private Related() {}

  /**
   * Whether the value at a place follows from those at others, in each element of the array that
   * they are in.
   */
  static boolean holds(
      Function<String, List<Object>> found, String relation, String place, List<String> of) {
    String around = elements(place);
    if (around.isEmpty()) {
      return follows(found, relation, place, of);
    }
    List<String> rest =
        of.stream().map(p -> p.startsWith("=") ? p : p.substring(around.length())).toList();
    String own = place.substring(around.length());
    return found.apply(around).stream()
        .allMatch(v -> follows(p -> Pointer.each(v, p), relation, own, rest));
  }

  /** The innermost array elements that a place is in, or nothing. */
  private static String elements(String place) {
    Matcher found = ELEMENTS.matcher(place);
    return found.lookingAt() ? found.group() : "";
  }

  private static boolean follows(
      Function<String, List<Object>> found, String relation, String place, List<String> of) {
    Object own = one(found, place);
    if (own == null) {
      return true;
    }
    try {
      if (relation.equals("count")) {
        return !(one(found, of.get(0)) instanceof List<?> array)
            || exact(own).compareTo(BigDecimal.valueOf(array.size())) == 0;
      }
      if (relation.equals("total")) {
        return isTotal(found, own, of);
      }
      if (relation.equals("ascending") || relation.equals("descending")) {
        return isSorted(own, of.get(0), relation.equals("ascending"));
      }
      if (relation.equals("unique")) {
        return isUnique(own, of.get(0));
      }
      List<Object> others = new ArrayList<>();
      of.forEach(p -> others.add(p.startsWith("=") ? p.substring(1) : one(found, p)));
      return others.contains(null) || computes(relation, own, others);
    } catch (ArithmeticException | NumberFormatException e) { // not a number
      return false;
    }
  }

  private static boolean isTotal(
      Function<String, List<Object>> found, Object own, List<String> of) {
    String inner = elements(of.get(0));
    if (!(one(found, inner.substring(0, inner.length() - 2)) instanceof List<?> rows)) {
      return true;
    }
    BigDecimal sum = BigDecimal.ZERO;
    for (Object row : rows) {
      BigDecimal product = BigDecimal.ONE;
      for (String place : of) {
        product =
            product.multiply(
                exact(one(p -> Pointer.each(row, p), place.substring(inner.length()))));
      }
      sum = sum.add(product);
    }
    return exact(own).compareTo(sum) == 0;
  }

  private static boolean computes(String relation, Object own, List<Object> of) {
    if (relation.equals("equal")) {
      Object other = of.get(0);
      if (own instanceof String == other instanceof String) {
        return Json.textOf(own).equals(Json.textOf(other))
            || own instanceof Json.Num && exact(own).compareTo(exact(other)) == 0;
      }
      return exact(own).compareTo(exact(other)) == 0;
    }
    switch (relation) {
      case "other":
        return !Json.textOf(own).equals(Json.textOf(of.get(0)));
      case "contains":
        return Json.textOf(own).contains(Json.textOf(of.get(0)));
      case "above":
        return exact(own).compareTo(exact(of.get(0))) > 0;
      case "at-least":
        return compare(own, of.get(0)) >= 0;
      default:
        return isComputed(relation, own, of);
    }
  }

  private static boolean isComputed(String relation, Object own, List<Object> of) {
    BigDecimal number = exact(own);
    BigDecimal a = exact(of.get(0));
    BigDecimal b = exact(of.get(1));
    if (relation.equals("product")) { // money is rounded
      BigDecimal half = BigDecimal.valueOf(5, Math.max(2, number.scale()) + 1);
      return number.subtract(a.multiply(b)).abs().compareTo(half) <= 0;
    }
    return number.compareTo(relation.equals("sum") ? a.add(b) : a.subtract(b)) == 0;
  }

  private static boolean isSorted(Object own, String place, boolean ascending) {
    String inner = elements(place);
    if (!(own instanceof List<?> rows)) {
      return true;
    }
    Object last = null;
    for (Object row : rows) {
      Object next = one(p -> Pointer.each(row, p), place.substring(inner.length()));
      if (last != null && (ascending ? compare(last, next) > 0 : compare(last, next) < 0)) {
        return false;
      }
      last = next;
    }
    return true;
  }

  private static boolean isUnique(Object own, String place) {
    String rest = place.substring(elements(place).length());
    return !(own instanceof List<?> rows)
        || rows.stream()
                .map(r -> Json.canonical(one(p -> Pointer.each(r, p), rest)))
                .distinct()
                .count()
            == rows.size();
  }

  /** Orders numbers, times, and texts by their bytes. */
  private static int compare(Object a, Object b) {
    try {
      return exact(a).compareTo(exact(b));
    } catch (NumberFormatException e) { // not numbers
      Moment x = Moment.of(a);
      Moment y = Moment.of(b);
      return x != null && y != null
          ? Double.compare(x.begin(), y.begin())
          : Arrays.compareUnsigned(bytes(a), bytes(b));
    }
  }

  private static byte[] bytes(Object value) {
    return Json.textOf(value).getBytes(StandardCharsets.UTF_8);
  }

  private static Object one(Function<String, List<Object>> found, String place) {
    List<Object> values = found.apply(place);
    return values.isEmpty() ? null : values.get(0);
  }

  /** A number, without the rounding error of a service that computes in doubles. */
  private static BigDecimal exact(Object value) {
    BigDecimal number = new BigDecimal(Json.textOf(value));
    if (number.scale() > 0 && number.precision() > 15) {
      int whole = Math.max(0, number.precision() - number.scale());
      return number.setScale(15 - whole, RoundingMode.HALF_EVEN);
    }
    return number;
  }
}
