package flaketap;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON web tokens. Their signatures are not checked. */
final class Token {
  private Token() {}

  /** What a token holds, its lifetime among it; null if the text is none. */
  static Map<String, Object> parts(String text) {
    String[] parts = text.replaceFirst("^Bearer ", "").split("\\.", -1);
    if (parts.length != 3) {
      return null;
    }
    Map<String, Object> out = new LinkedHashMap<>();
    try {
      Base64.getUrlDecoder().decode(parts[2]);
      out.put("header", part(parts[0]));
      out.put("claims", part(parts[1]));
    } catch (IllegalArgumentException e) { // no base64, or no JSON
      return null;
    }
    if (!isObject(out.get("header"))
        || !isObject(out.get("claims"))
        || Pointer.each(out.get("header"), "/alg").isEmpty()) {
      return null;
    }
    out.put("signature", parts[2]);
    List<Object> ends = Pointer.each(out.get("claims"), "/exp");
    List<Object> begins = Pointer.each(out.get("claims"), "/iat");
    if (isWhole(ends) && isWhole(begins)) {
      long lifetime = seconds(ends) - seconds(begins);
      out.put("lifetime", new Json.Num(String.valueOf(lifetime)));
    }
    return out;
  }

  private static Object part(String part) {
    return Json.parse(new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8));
  }

  private static boolean isObject(Object value) {
    return value instanceof Map || value instanceof Json.Pairs;
  }

  private static boolean isWhole(List<Object> found) {
    return !found.isEmpty() && Json.textOf(found.get(0)).matches("[0-9]{1,15}");
  }

  private static long seconds(List<Object> found) {
    return Long.parseLong(Json.textOf(found.get(0)));
  }
}
