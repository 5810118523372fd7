package flaketap

import java.math.BigDecimal
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue

/** The values at a place of an answer. What is asserted is asserted of each of them. */
class Values(private val place: String, private val values: List<Any?>) {
  fun isEmpty() = values.isEmpty()

  /** Leaves aside what pointers name: it is there, and nothing more. */
  fun masking(vararg pointers: String) =
    Values(place, values.map { pointers.fold(it) { v, pointer -> Pointer.masked(v, pointer) } })

  /** Leaves aside what pointers name, whether it is there or not. */
  fun without(vararg pointers: String) =
    Values(place, values.map { pointers.fold(it) { v, pointer -> Pointer.without(v, pointer) } })

  /** Goes on with those that are not null. */
  fun unlessNull() = Values(place, values.filterNotNull())

  /** Goes on with those that are texts. */
  fun ifText() = Values(place, values.filterIsInstance<String>())

  /** Each is this JSON. */
  fun isJson(vararg json: String): Values {
    val expected = Json.canonical(Json.parse(json.joinToString("")))
    values.forEach { assertEquals(expected, Json.canonical(it), place) }
    return this
  }

  /** Each is one of these JSON values. */
  fun isOneOf(vararg json: String): Values {
    val expected = json.map { Json.canonical(Json.parse(it)) }
    return all("one of $expected") { Json.canonical(it) in expected }
  }

  /** Each is an array of these elements, in any order. */
  fun hasItems(vararg json: String): Values {
    val expected = "${elements(Json.parse(json.joinToString(""))).sorted()}"
    all("an array") { it is List<*> }
    values.forEach { assertEquals(expected, "${elements(it).sorted()}", place) }
    return this
  }

  /** Each is an array of these elements, each as often as may be. */
  fun hasSetOf(vararg json: String): Values {
    val expected = "${elements(Json.parse(json.joinToString(""))).sorted().distinct()}"
    all("an array") { it is List<*> }
    values.forEach { assertEquals(expected, "${elements(it).sorted().distinct()}", place) }
    return this
  }

  /** Each is an object that has these keys. */
  fun hasKeys(vararg keys: String): Values {
    keys.forEach { key ->
      all("an object with the key $key") { v ->
        v is Map<*, *> && key in v || v is Pairs && v.members.any { it.first == key }
      }
    }
    return this
  }

  /** The text of each is this one. */
  fun isText(expected: String): Values {
    values.forEach { assertEquals(expected, Json.textOf(it), place) }
    return this
  }

  fun endsWith(end: String) = all("what ends in $end") { Json.textOf(it).endsWith(end) }

  /** Each is of one of the JSON types, as in "null|string". */
  fun isType(names: String) =
    all("of type $names") { v -> names.split("|").any { name -> isType(v, name) } }

  /** Each is written as the name says: rfc3339, uuid, hex:32 and so on. */
  fun isFormat(name: String): Values {
    val pattern = Formats.pattern(name)
    return all("written as $name") { it is String && pattern.matches(it) }
  }

  /** The whole of each matches a regular expression. */
  fun matches(expression: String): Values {
    val pattern = Regex(expression, RegexOption.UNIX_LINES)
    return all("what matches $expression") { it is String && pattern.matches(it) }
  }

  /** Each is a number, or the text of one, that is not less. */
  fun isAtLeast(low: String) =
    all("at least $low") { v -> number(v)?.let { it >= BigDecimal(low) } ?: false }

  /** Each is a number, or the text of one, that is not more. */
  fun isAtMost(high: String) =
    all("at most $high") { v -> number(v)?.let { it <= BigDecimal(high) } ?: false }

  /** Each is a text of so many characters, or an array of so many elements. */
  fun hasLength(least: Int, most: Int) =
    all("of length $least to $most") { length(it) in least..most }

  /** Each is a text of so many characters at least, or an array of so many elements. */
  fun hasLength(least: Int) = all("of length $least or more") { length(it) >= least }

  /** Each is a time within so many seconds of now, whichever way it is written. */
  fun isNearClock(seconds: Int): Values {
    val now = System.currentTimeMillis() / 1000.0
    return all("a time within $seconds s of now") { Moment.isNear(it, seconds, now) }
  }

  /** Each is a text that holds this one. */
  fun mentions(part: String) = all("what holds $part") { it is String && part in it }

  private fun all(what: String, holds: (Any?) -> Boolean): Values {
    values.forEach { assertTrue(holds(it)) { "$place is not $what: ${Json.canonical(it)}" } }
    return this
  }

  private fun elements(array: Any?) =
    (array as? List<*>)?.map { Json.canonical(it) } ?: listOf<String>()

  private fun length(value: Any?) =
    when (value) {
      is String -> value.codePointCount(0, value.length)
      is List<*> -> value.size
      else -> -1
    }

  private fun number(value: Any?) = Json.textOf(value).toBigDecimalOrNull()

  private fun isType(value: Any?, name: String) =
    when (name) {
      "null" -> value == null
      "boolean" -> value is Boolean
      "integer" -> value is Num && value.isInteger()
      "number" -> value is Num
      "string" -> value is String
      "array" -> value is List<*>
      "object" -> value is Map<*, *> || value is Pairs
      else -> false
    }
}
