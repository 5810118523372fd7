package flaketap

import java.time.DateTimeException
import java.time.LocalDate

/** A point in time that a value says, in seconds since 1970, and how long its last digit lasts. */
class Moment private constructor(private val begin: Double, private val lasts: Double) {
  companion object {
    private const val DAY = 86400.0
    private val MONTHS =
      listOf("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    private val MONTH = "(?<month>${MONTHS.joinToString("|")})"
    private const val CLOCK = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)"

    // How services write a point in time: ISO 8601 and what is like it, without any separators, as
    // in HTTP, as in C and
    // Unix, and a day in words.
    private val WRITTEN =
      listOf(
          "(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d\\d)\\k<mark>(?<day>\\d\\d)" +
            "([Tt ](?<hour>\\d\\d):(?<minute>\\d\\d)" +
            "(:(?<second>\\d\\d)([.,](?<fraction>\\d{1,9}))?)?" +
            " ?(?<zone>[Zz]|UTC|GMT|[+-]\\d\\d(:?\\d\\d)?)?)?(\\[.*\\])?",
          "(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)" +
            "([Tt]?(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)Z?)?",
          "[A-Z][a-z]+, (?<day>\\d\\d?)[ -]$MONTH[ -](?<year>\\d{4}|\\d\\d) $CLOCK" +
            "( (?<zone>GMT|UTC|[+-]\\d{4}))?",
          "[A-Z][a-z]{2} $MONTH (?<day>[ \\d]\\d) $CLOCK ([A-Z]{3,4} )?(?<year>\\d{4})",
          "(?<day>\\d\\d?)\\.? $MONTH[a-z]* (?<year>20\\d\\d)",
          "$MONTH[a-z]* (?<day>\\d\\d?), (?<year>20\\d\\d)",
        )
        .map { Regex(it) }

    /** Whether a value is a time within so many seconds of now. A date is the whole day. */
    fun isNear(value: Any?, seconds: Int, now: Double): Boolean {
      val moment = of(value) ?: return false
      return moment.begin - seconds <= now && now <= moment.begin + moment.lasts + seconds
    }

    /**
     * The moment that a value says; null if it says none. A time without a zone is taken for UTC.
     */
    private fun of(value: Any?): Moment? {
      if (value is String) {
        for (pattern in WRITTEN) {
          val found = pattern.matchEntire(value) ?: continue
          return of { name ->
            if ("(?<$name>" in pattern.pattern) found.groups[name]?.value?.trim() else null
          }
        }
        return counted(value)
      }
      return (value as? Num)?.token?.toBigDecimalOrNull()?.let { counted(it.toPlainString()) }
    }

    /**
     * A count since 1970, by its number of digits; of ticks of 100 ns, which Windows counts, since
     * the year 1.
     */
    private fun counted(text: String): Moment? {
      val found = Regex("(\\d+)(\\.\\d{1,9})?").matchEntire(text) ?: return null
      val count = text.toDouble()
      return when (found.groupValues[1].length) {
        5 -> Moment(count * DAY, DAY)
        10 -> Moment(count, 1.0)
        13 -> Moment(count / 1e3, 1e-3)
        16 -> Moment(count / 1e6, 1e-6)
        18 -> Moment(count / 1e7 - 62135596800.0, 1e-7)
        19 -> Moment(count / 1e9, 1e-9)
        else -> null
      }
    }

    private fun of(part: (String) -> String?): Moment? {
      val digits = part("year")!!
      val year = digits.toInt() + if (digits.length > 2) 0 else if (digits >= "69") 1900 else 2000
      val word = part("month")!!
      val month = if (word in MONTHS) MONTHS.indexOf(word) + 1 else word.toInt()
      val number = { name: String -> part(name)?.toInt() ?: 0 }
      try {
        val days = LocalDate.of(year, month, 1).toEpochDay() + number("day") - 1
        val seconds = number("hour") * 3600 + number("minute") * 60 + number("second")
        val fraction = "0.${part("fraction") ?: "0"}".toDouble()
        val lasts = if (part("second") != null) 1.0 else if (part("minute") != null) 60.0 else DAY
        return Moment(days * DAY + seconds + fraction - offset(part("zone") ?: ""), lasts)
      } catch (_: DateTimeException) { // no calendar has it
        return null
      }
    }

    /** The seconds that a zone is ahead of UTC. */
    private fun offset(zone: String): Int {
      val found = Regex("([+-])(\\d\\d):?(\\d\\d)?").matchEntire(zone) ?: return 0
      val (sign, hours, minutes) = found.destructured
      val seconds = hours.toInt() * 3600 + (minutes.toIntOrNull() ?: 0) * 60
      return if (sign == "+") seconds else -seconds
    }
  }
}
