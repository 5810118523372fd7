package flaketap

/**
 * JSON Pointers, in which * stands for every element and member, ~2 for a star itself and ~3 for
 * the @ of some keys.
 */
object Pointer {
  /** Stands for what is not compared. */
  const val MASKED = "<volatile>"

  /** Every value that a pointer names; none where it is not there. */
  fun each(value: Any?, pointer: String): List<Any?> =
    segments(pointer).fold(listOf(value)) { found, segment ->
      found.flatMap { children(it, segment) }
    }

  /** The value with [MASKED] at what a pointer names. */
  fun masked(value: Any?, pointer: String) = changed(value, segments(pointer), false)

  /** The value without what a pointer names. Elements of arrays are masked. */
  fun without(value: Any?, pointer: String) = changed(value, segments(pointer), true)

  fun unescape(segment: String) =
    when {
      segment == "~2" -> "*"
      segment.startsWith("~3") -> "@" + segment.drop(2)
      else -> segment.replace("~1", "/").replace("~0", "~")
    }

  private fun segments(pointer: String) = pointer.split("/").drop(1)

  private fun names(segment: String, key: String) = segment == "*" || unescape(segment) == key

  private fun children(value: Any?, segment: String): List<Any?> =
    when (value) {
      is Map<*, *> -> value.filterKeys { names(segment, "$it") }.values.toList()
      is Pairs -> value.members.filter { names(segment, it.first) }.map { it.second }
      is List<*> -> value.filterIndexed { i, _ -> names(segment, "$i") }
      else -> listOf()
    }

  private fun changed(value: Any?, path: List<String>, drop: Boolean): Any? {
    if (path.isEmpty()) return MASKED
    val segment = path[0]
    val rest = path.drop(1)
    val gone = drop && rest.isEmpty()
    return when (value) {
      is Map<*, *> ->
        value
          .filterKeys { !(gone && names(segment, "$it")) }
          .mapValues { (key, v) -> if (names(segment, "$key")) changed(v, rest, drop) else v }
      is Pairs ->
        Pairs(
          value.members
            .filter { !(gone && names(segment, it.first)) }
            .map { (key, v) -> key to if (names(segment, key)) changed(v, rest, drop) else v }
        )
      is List<*> ->
        value.mapIndexed { i, v -> if (names(segment, "$i")) changed(v, rest, drop) else v }
      else -> value
    }
  }
}
