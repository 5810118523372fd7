package flaketap;

import java.util.Map;
import java.util.regex.Pattern;

/** How texts are written. */
final class Formats {
  private static final Map<String, String> PATTERNS =
      Map.ofEntries(
          Map.entry(
              "rfc3339",
              "\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)"),
          Map.entry(
              "rfc1123",
              "[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d"
                  + " (GMT|UTC|[+-]\\d{4})"),
          Map.entry(
              "datetime",
              "\\d{4}-\\d\\d-\\d\\d[Tt"
                  + " ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?(\\[[A-Za-z_/+-]+\\])?"),
          Map.entry("date", "\\d{4}-\\d\\d-\\d\\d"),
          Map.entry("time", "\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?"),
          Map.entry(
              "uuid4",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
          Map.entry(
              "uuid",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
          Map.entry("jwt", "[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*"),
          Map.entry("bcrypt", "\\$2[abxy]\\$\\d\\d\\$[./A-Za-z0-9]{53}"),
          Map.entry("email", "[^@\\s]+@[^@\\s]+\\.[^@\\s.]+"),
          Map.entry("uri", "[a-zA-Z][a-zA-Z0-9+.-]*://\\S+"),
          Map.entry("ipv4", "\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}"),
          Map.entry(
              "uuid1",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
          Map.entry(
              "uuid3",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
          Map.entry(
              "uuid5",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
          Map.entry(
              "uuid6",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
          Map.entry(
              "uuid7",
              "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"),
          Map.entry("ulid", "[0-7][0-9A-HJKMNP-TV-Z]{25}"),
          Map.entry("mac", "[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}"),
          Map.entry("ipv6", "[0-9A-Fa-f:]{2,39}(:\\d{1,3}(\\.\\d{1,3}){3})?"),
          Map.entry(
              "semver",
              "(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?"),
          Map.entry(
              "duration",
              "P(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?"),
          Map.entry("base64url", "[A-Za-z0-9_-]+"),
          Map.entry("digits", "[0-9]+"),
          Map.entry("hex", "[0-9a-fA-F]+"),
          Map.entry("base64", "[A-Za-z0-9+/_-]+={0,2}"));

  private Formats() {}

  /** The expression of a format, by its name: rfc3339, uuid, hex:32 and so on. */
  static Pattern pattern(String name) {
    if (name.startsWith("hex:")) {
      return Pattern.compile("[0-9a-fA-F]{" + name.substring(4) + "}");
    }
    return Pattern.compile(PATTERNS.get(name));
  }
}
