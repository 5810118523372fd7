package flaketap.hooks;

import java.util.HashMap;
import java.util.Map;

/** What methods and classes take a value for. */
public final class Kinds {
  private static final Map<String, String> METHODS = new HashMap<>();
  private static final Map<String, String> CLASSES = new HashMap<>();
  private static final Map<String, String> SAMPLES = new HashMap<>();

  static {
    kind(METHODS, "string", "asText", "textValue", "isTextual", "asString", "stringValue", "isString", "getAsString", "binaryValue",
        "getString", "optString");
    kind(METHODS, "integer", "asInt", "asLong", "intValue", "longValue", "shortValue", "bigIntegerValue", "isInt", "isLong", "isIntegralNumber",
        "canConvertToInt", "canConvertToLong", "canConvertToExactIntegral", "getAsInt", "getAsLong", "getAsShort", "getAsByte", "getAsBigInteger",
        "getInt", "optInt", "getLong", "optLong", "getBigInteger", "optBigInteger");
    kind(METHODS, "number", "asDouble", "doubleValue", "floatValue", "decimalValue", "numberValue", "isNumber", "isDouble", "isFloatingPointNumber",
        "isBigDecimal", "getAsDouble", "getAsFloat", "getAsNumber", "getAsBigDecimal",
        "getDouble", "optDouble", "getFloat", "optFloat", "getNumber", "optNumber", "getBigDecimal", "optBigDecimal");
    kind(METHODS, "boolean", "asBoolean", "booleanValue", "isBoolean", "getAsBoolean", "getBoolean", "optBoolean");
    kind(METHODS, "list", "isArray", "elements", "iterator", "values", "valueStream", "valueSpliterator", "isJsonArray", "getAsJsonArray",
        "getJSONArray", "optJSONArray", "withArray");
    kind(METHODS, "object", "isObject", "fields", "fieldNames", "properties", "propertyNames", "isJsonObject", "getAsJsonObject",
        "getJSONObject", "optJSONObject", "withObject");
    kind(CLASSES, "string", "java.lang.String", "java.lang.CharSequence", "char", "java.lang.Character", "java.util.UUID", "java.net.URI", "java.net.URL",
        "java.util.Date", "java.util.Locale", "java.util.Currency", "java.time.Instant", "java.time.LocalDate", "java.time.LocalDateTime",
        "java.time.LocalTime", "java.time.OffsetDateTime", "java.time.ZonedDateTime", "java.time.Duration", "java.time.ZoneId");
    kind(CLASSES, "integer", "int", "long", "short", "byte", "java.lang.Integer", "java.lang.Long", "java.lang.Short", "java.lang.Byte", "java.math.BigInteger",
        "java.util.OptionalInt", "java.util.OptionalLong", "java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong");
    kind(CLASSES, "number", "double", "float", "java.lang.Double", "java.lang.Float", "java.lang.Number", "java.math.BigDecimal", "java.util.OptionalDouble");
    kind(CLASSES, "boolean", "boolean", "java.lang.Boolean", "java.util.concurrent.atomic.AtomicBoolean");
    // Texts that such a class is made of: without one, no answer gets past its parser.
    SAMPLES.put("java.util.UUID", "123e4567-e89b-42d3-a456-426614174000");
    SAMPLES.put("java.net.URL", "https://example.com/");
    SAMPLES.put("java.util.Date", "2026-01-02T03:04:05Z");
    SAMPLES.put("java.util.Currency", "EUR");
    SAMPLES.put("java.time.Instant", "2026-01-02T03:04:05Z");
    SAMPLES.put("java.time.LocalDate", "2026-01-02");
    SAMPLES.put("java.time.LocalDateTime", "2026-01-02T03:04:05");
    SAMPLES.put("java.time.LocalTime", "03:04:05");
    SAMPLES.put("java.time.OffsetDateTime", "2026-01-02T03:04:05Z");
    SAMPLES.put("java.time.ZonedDateTime", "2026-01-02T03:04:05Z");
    SAMPLES.put("java.time.Duration", "PT1H");
    SAMPLES.put("java.time.ZoneId", "UTC");
  }

  private Kinds() {}

  private static void kind(Map<String, String> of, String kind, String... names) {
    for (String name : names) of.put(name, kind);
  }

  /** The methods that take a value for something. */
  public static String[] methods() {
    return METHODS.keySet().toArray(new String[0]);
  }

  static String ofMethod(String name) {
    return METHODS.get(name);
  }

  /** Tells that a place is read as a class without parts, and reports whether it is one. */
  static boolean tell(Where where, Class<?> type) {
    String kind = CLASSES.get(type.getName());
    if (kind == null) return false;
    where.tell(kind, SAMPLES.get(type.getName()));
    return true;
  }

  /** Tells the values of an enum, by the names that an annotation gives them, or by their own. */
  static void tellEnum(Where where, Class<?> type, String annotation) {
    for (Object constant : type.getEnumConstants()) {
      String name = ((Enum<?>) constant).name();
      try {
        String other = Looked.annotated(((Enum<?>) constant).getDeclaringClass().getField(name), annotation);
        if (other != null && !other.isEmpty()) name = other;
      } catch (ReflectiveOperationException itsOwn) {
        // It has the name of the constant.
      }
      where.tell("string", name);
    }
  }
}
