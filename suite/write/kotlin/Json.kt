package flaketap

import java.math.BigDecimal

/** A number as it was written. */
data class Num(val token: String) {
  fun value() = BigDecimal(token)

  /** Whether it was written without fraction and exponent. */
  fun isInteger() = token.none { it in ".eE" }
}

/** An object in which a key stands twice: its members in order. */
data class Pairs(val members: List<Pair<String, Any?>>)

/**
 * Reads JSON with nothing lost. An object is a Map, or [Pairs] where a key stands twice; an array
 * is a List; a number is a [Num], as it was written.
 */
class Json private constructor(private val text: String) {
  private var at = 0

  private fun value(depth: Int): Any? {
    blanks()
    if (depth > DEEPEST) throw wrong()
    return when (peek()) {
      '{' -> members(depth)
      '[' -> elements(depth)
      '"' -> string()
      else -> word()
    }
  }

  private fun members(depth: Int): Any {
    val members = mutableListOf<Pair<String, Any?>>()
    var more = begins('}')
    while (more) {
      blanks()
      val key = string()
      blanks()
      expect(':')
      members += key to value(depth + 1)
      more = goesOn('}')
    }
    val map = members.toMap()
    return if (map.size == members.size) map else Pairs(members)
  }

  private fun elements(depth: Int): List<Any?> {
    val elements = mutableListOf<Any?>()
    var more = begins(']')
    while (more) {
      elements += value(depth + 1)
      more = goesOn(']')
    }
    return elements
  }

  /** Passes over an opening bracket, and over the closing one where nothing stands between them. */
  private fun begins(close: Char): Boolean {
    at++
    blanks()
    if (peek() != close) return true
    at++
    return false
  }

  /** Passes over a comma, or over the closing bracket. */
  private fun goesOn(close: Char): Boolean {
    blanks()
    if (peek() == ',') {
      at++
      return true
    }
    expect(close)
    return false
  }

  private fun string(): String {
    expect('"')
    val out = StringBuilder()
    while (peek() != '"') {
      val c = text[at++]
      if (c < ' ') throw wrong()
      out.append(if (c == '\\') escaped() else c)
    }
    at++
    return out.toString()
  }

  private fun escaped(): Char {
    val c = peek()
    at++
    return when (c) {
      '"',
      '\\',
      '/' -> c
      'b' -> '\b'
      'f' -> '\u000c'
      'n' -> '\n'
      'r' -> '\r'
      't' -> '\t'
      'u' -> {
        val hex = text.drop(at).take(4)
        if (!hex.matches(Regex("[0-9a-fA-F]{4}"))) throw wrong()
        at += 4
        hex.toInt(16).toChar()
      }
      else -> throw wrong()
    }
  }

  private fun word(): Any? {
    val from = at
    while (at < text.length && text[at] !in ",:]}\"[{ \t\r\n") at++
    val word = text.substring(from, at)
    return when {
      word == "null" -> null
      word == "true" -> true
      word == "false" -> false
      word.matches(NUMBER) -> Num(word)
      else -> throw wrong()
    }
  }

  private fun blanks() {
    while (at < text.length && text[at] in " \t\r\n") at++
  }

  private fun peek() = if (at < text.length) text[at] else throw wrong()

  private fun expect(c: Char) {
    if (peek() != c) throw wrong()
    at++
  }

  private fun wrong() = IllegalArgumentException("no JSON from character $at on: $text")

  companion object {
    private const val DEEPEST = 1000
    private val NUMBER = Regex("-?(0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][+-]?[0-9]++)?")

    /** Reads one JSON value; throws an IllegalArgumentException where the text is none. */
    fun parse(text: String): Any? {
      val reader = Json(text.removePrefix("\ufeff"))
      val value = reader.value(0)
      reader.blanks()
      if (reader.at < reader.text.length) throw reader.wrong()
      return value
    }

    /**
     * A text in which equal values are equal, laid out for people: keys in order, numbers by their
     * value.
     */
    fun canonical(value: Any?, indent: String = ""): String =
      when (value) {
        is Map<*, *> ->
          members(value.entries.map { "${it.key}" to it.value }.sortedBy { it.first }, indent)
        is Pairs -> members(value.members, indent)
        is List<*> -> listed(value.map { canonical(it, "$indent  ") }, "[", "]", indent)
        is Num -> canonical(value)
        is String -> quoted(value)
        else -> value.toString()
      }

    private fun canonical(number: Num) =
      try {
        number.value().stripTrailingZeros().toString()
      } catch (_: ArithmeticException) {
        number.token
      } catch (_: NumberFormatException) { // of an exponent that no decimal has
        number.token
      }

    private fun members(members: List<Pair<String, Any?>>, indent: String) =
      listed(
        members.map { (key, v) -> "${quoted(key)}: ${canonical(v, "$indent  ")}" },
        "{",
        "}",
        indent,
      )

    private fun listed(items: List<String>, open: String, shut: String, indent: String) =
      if (items.isEmpty()) open + shut
      else items.joinToString(",\n$indent  ", "$open\n$indent  ", "\n$indent$shut")

    /** The text that stands for a scalar in a path, a query or a header. */
    fun textOf(value: Any?): String =
      when (value) {
        is Num -> value.token
        is Map<*, *>,
        is List<*>,
        is Pairs -> canonical(value)
        else -> value.toString()
      }

    /** A text as a JSON string. */
    fun quoted(text: String): String =
      text
        .map {
          when {
            it == '"' || it == '\\' -> "\\$it"
            it == '\n' -> "\\n"
            it == '\r' -> "\\r"
            it == '\t' -> "\\t"
            it < ' ' -> "\\u%04x".format(it.code)
            else -> "$it"
          }
        }
        .joinToString("", "\"", "\"")
  }
}
