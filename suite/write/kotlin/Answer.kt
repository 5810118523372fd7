package flaketap

import io.restassured.response.Response
import java.net.URLDecoder
import java.security.MessageDigest
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue

/** What the API answered, with the assertions that REST-assured has no words for. */
class Answer(private val res: Response) {
  private val text by lazy { String(res.asByteArray()) }

  /** The value at a place, which must be there: /status, /header/etag, /body/items/0/price. */
  fun at(place: String): Values {
    val found = each(place)
    assertTrue(!found.isEmpty()) { "nothing at $place of $this" }
    return found
  }

  /** Every value at a place, in which * stands for each element and member; there may be none. */
  fun each(place: String) = Values(place, found(place))

  /** The body, for comparing all of it. */
  fun body() = at("/body")

  fun isEmpty() = assertEquals("", text, "the body")

  fun hasText(expected: String) = assertEquals(expected, text, "the body")

  fun hasDigest(length: Int, sha256: String) {
    val body = res.asByteArray()
    assertEquals(length, body.size, "the length of the body")
    val digest = MessageDigest.getInstance("SHA-256").digest(body)
    assertEquals(sha256, digest.joinToString("") { "%02x".format(it) }, "the SHA-256 of the body")
  }

  /** The lines of a header. */
  fun hasHeader(name: String, vararg lines: String) =
    assertEquals(lines.toList(), res.headers.getValues(name), "the header $name")

  fun setsCookie(name: String) =
    assertTrue(cookie(name) != null) { "no cookie $name in ${res.headers}" }

  /**
   * That a value follows from others of the same answer. Within an array it does so in each
   * element. Where one of them is not there, or null, nothing is said.
   */
  fun isRelated(relation: String, place: String, vararg of: String) =
    assertTrue(Related.holds(::found, relation, place, of.toList())) {
      "$place is not the $relation of ${of.toList()} in $this"
    }

  private fun found(place: String): List<Any?> {
    val pointer = place.removePrefix("/body")
    return when {
      place == "/status" -> listOf(Num("${res.statusCode}"))
      place.startsWith("/header/") ->
        lines(place.split("/")[2]).ifEmpty { null }.let { listOfNotNull(it?.joinToString("\n")) }
      isJson() && (pointer.isNotEmpty() || looksLikeJson()) ->
        Pointer.each(Json.parse(text), pointer)
      else -> if (pointer.isEmpty()) listOf(text) else listOf()
    }
  }

  /** The text of a value that later requests use; null where it is not there. */
  fun taken(place: String): String? {
    val parts = place.split("/").drop(1)
    if (parts[0] == "body") {
      return scalars(place.removePrefix("/body")).firstOrNull()?.let { Json.textOf(it.value) }
    }
    val rest = parts.drop(2).map(Pointer::unescape)
    if (parts[1] == "set-cookie") {
      val cookie = rest.firstOrNull()?.let(::cookie)
      return if (rest.size > 1) cookie?.let(::unquoted) else cookie
    }
    val lines = lines(parts[1])
    val value = if (lines.isEmpty()) null else lines.joinToString(", ")
    return if (value == null || rest.isEmpty()) value else ofUrl(value, rest)
  }

  /** The texts of all values that stand in the place's list. */
  fun listed(place: String) =
    scalars(place.removePrefix("/body").replace(Regex("/[0-9]+(?=/|$)"), "/*")).map {
      Json.textOf(it.value)
    }

  private fun lines(segment: String) = res.headers.getValues(Pointer.unescape(segment))

  private fun scalars(pointer: String): List<Scalar> =
    try {
      Pointer.each(Json.parse(text), pointer)
        .filter { it !is Map<*, *> && it !is List<*> && it !is Pairs }
        .map(::Scalar)
    } catch (_: IllegalArgumentException) {
      if (pointer.isEmpty()) listOf(Scalar(text)) else listOf()
    }

  /** A value that is there, if only as null. */
  private class Scalar(val value: Any?)

  /** A part of a URL in a header: a segment of its path, or a value of its query. */
  private fun ofUrl(value: String, part: List<String>): String? {
    val link = Regex("<([^>]*)>").find(value)
    val url = (link?.groupValues?.get(1) ?: value).substringBefore('#')
    val path =
      url.substringBefore('?').replaceFirst(Regex("^([A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*"), "")
    if (part[0] == "path") {
      return path.trim('/').split("/").getOrNull(part[1].toInt())?.let {
        unquoted(it.replace("+", "%2B"))
      }
    }
    return url
      .substringAfter('?', "")
      .split("&")
      .filter { "=" in it && unquoted(it.substringBefore('=')) == part[1] }
      .getOrNull(part.getOrElse(2) { "0" }.toInt())
      ?.let { unquoted(it.substringAfter('=')) }
  }

  private fun unquoted(text: String): String =
    try {
      URLDecoder.decode(text, Charsets.UTF_8)
    } catch (_: IllegalArgumentException) { // a percent sign that escapes nothing
      text
    }

  private fun cookie(name: String) =
    lines("set-cookie")
      .map { it.substringBefore(';') }
      .lastOrNull { it.substringBefore('=').trim() == name }
      ?.substringAfter('=', "")
      ?.trim()
      ?.trim('"')

  private fun isJson(): Boolean {
    val type = (res.header("Content-Type") ?: "").substringBefore(';').trim().lowercase()
    return type == "application/json" ||
      type == "text/json" ||
      type.endsWith("+json") ||
      type.isEmpty() && looksLikeJson()
  }

  private fun looksLikeJson() =
    try {
      Json.parse(text)
      true
    } catch (_: IllegalArgumentException) {
      false
    }

  override fun toString() =
    "the answer ${res.statusCode}: " + text.take(500) + if (text.length > 500) "…" else ""
}
