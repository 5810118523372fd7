package flaketap

/** How texts are written. */
object Formats {
  private val PATTERNS =
    mapOf(
      "rfc3339" to "\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)",
      "rfc1123" to
        "[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d (GMT|UTC|[+-]\\d{4})",
      "datetime" to
        "\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?(\\[[A-Za-z_/+-]+\\])?",
      "date" to "\\d{4}-\\d\\d-\\d\\d",
      "time" to "\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?",
      "uuid4" to
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
      "uuid" to "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
      "jwt" to "[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*",
      "bcrypt" to "\\\$2[abxy]\\\$\\d\\d\\\$[./A-Za-z0-9]{53}",
      "email" to "[^@\\s]+@[^@\\s]+\\.[^@\\s.]+",
      "uri" to "[a-zA-Z][a-zA-Z0-9+.-]*://\\S+",
      "ipv4" to "\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}",
      "uuid1" to
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
      "uuid3" to
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
      "uuid5" to
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
      "uuid6" to
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
      "uuid7" to
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
      "ulid" to "[0-7][0-9A-HJKMNP-TV-Z]{25}",
      "mac" to "[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}",
      "ipv6" to "[0-9A-Fa-f:]{2,39}(:\\d{1,3}(\\.\\d{1,3}){3})?",
      "semver" to
        "(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?",
      "duration" to "P(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?",
      "base64url" to "[A-Za-z0-9_-]+",
      "digits" to "[0-9]+",
      "hex" to "[0-9a-fA-F]+",
      "base64" to "[A-Za-z0-9+/_-]+={0,2}",
    )

  /** The expression of a format, by its name: rfc3339, uuid, hex:32 and so on. */
  fun pattern(name: String) =
    if (name.startsWith("hex:")) Regex("[0-9a-fA-F]{${name.drop(4)}}")
    else Regex(PATTERNS.getValue(name))
}
