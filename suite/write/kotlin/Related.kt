package flaketap

import java.math.BigDecimal
import java.math.RoundingMode

/** Whether a value follows from others. */
object Related {
  private val ELEMENTS = Regex("^.*/\\*(?=/|$)")

  /**
   * Whether the value at a place follows from those at others, in each element of the array that
   * they are in.
   */
  fun holds(
    found: (String) -> List<Any?>,
    relation: String,
    place: String,
    of: List<String>,
  ): Boolean {
    val around = elements(place)
    if (around.isEmpty()) return follows(found, relation, place, of)
    val rest = of.map { it.drop(around.length) }
    return found(around).all { v ->
      follows({ Pointer.each(v, it) }, relation, place.drop(around.length), rest)
    }
  }

  /** The innermost array elements that a place is in, or nothing. */
  private fun elements(place: String) = ELEMENTS.find(place)?.value ?: ""

  private fun follows(
    found: (String) -> List<Any?>,
    relation: String,
    place: String,
    of: List<String>,
  ): Boolean {
    val own = found(place).firstOrNull() ?: return true
    try {
      if (relation == "count") {
        val array = found(of[0]).firstOrNull() as? List<*> ?: return true
        return exact(own).compareTo(array.size.toBigDecimal()) == 0
      }
      if (relation == "total") return isTotal(found, own, of)
      val others = of.map { found(it).firstOrNull() }
      return null in others || computes(relation, own, others)
    } catch (_: NumberFormatException) {
      return false
    }
  }

  private fun isTotal(found: (String) -> List<Any?>, own: Any, of: List<String>): Boolean {
    val inner = elements(of[0])
    val rows = found(inner.dropLast(2)).firstOrNull() as? List<*> ?: return true
    val sum =
      rows.sumOf { row ->
        of.fold(BigDecimal.ONE) { product, place ->
          product * exact(Pointer.each(row, place.drop(inner.length)).firstOrNull())
        }
      }
    return exact(own).compareTo(sum) == 0
  }

  private fun computes(relation: String, own: Any, of: List<Any?>): Boolean {
    val other = of[0]
    if (relation == "equal") {
      if ((own is String) == (other is String)) {
        return Json.textOf(own) == Json.textOf(other) ||
          own is Num && exact(own).compareTo(exact(other)) == 0
      }
      return exact(own).compareTo(exact(other)) == 0
    }
    val number = exact(own)
    val a = exact(other)
    val b = exact(of[1])
    if (relation == "product") { // money is rounded
      val half = BigDecimal.valueOf(5, maxOf(2, number.scale()) + 1)
      return (number - a * b).abs() <= half
    }
    return number.compareTo(if (relation == "sum") a + b else a - b) == 0
  }

  /** A number; that of a service which computes with doubles without what these add at the end. */
  private fun exact(value: Any?): BigDecimal {
    val number = BigDecimal(Json.textOf(value))
    if (number.scale() <= 0 || number.precision() <= 15) return number
    val whole = maxOf(0, number.precision() - number.scale())
    return number.setScale(15 - whole, RoundingMode.HALF_EVEN)
  }
}
