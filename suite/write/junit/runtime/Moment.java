package flaketap;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A time that a value denotes, in seconds since 1970, and its precision in seconds. */
record Moment(double begin, double lasts) {
  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
  private static final String MONTH = "(?<month>" + String.join("|", MONTHS) + ")";
  private static final String CLOCK = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
  private static final List<String> PARTS =
      List.of("year", "month", "day", "hour", "minute", "second", "fraction", "zone");

  // How services write a point in time: ISO 8601 and what is like it, without any separators, as in
  // HTTP, as in C and Unix, and a day in words or with dots.
  private static final List<Pattern> WRITTEN =
      List.of(
          Pattern.compile(
              "(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d\\d)\\k<mark>(?<day>\\d\\d)([Tt"
                  + " ](?<hour>\\d\\d):(?<minute>\\d\\d)(:(?<second>\\d\\d)([.,](?<fraction>\\d{1,9}))?)?"
                  + " ?(?<zone>[Zz]|UTC|GMT|[+-]\\d\\d(:?\\d\\d)?)?)?(\\[.*\\])?"),
          Pattern.compile(
              "(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)"
                  + "([Tt]?(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)Z?)?"),
          Pattern.compile(
              "[A-Z][a-z]+, (?<day>\\d\\d?)[ -]"
                  + MONTH
                  + "[ -](?<year>\\d{4}|\\d\\d) "
                  + CLOCK
                  + "( (?<zone>GMT|UTC|[+-]\\d{4}))?"),
          Pattern.compile(
              "[A-Z][a-z]{2} "
                  + MONTH
                  + " (?<day>[ \\d]\\d) "
                  + CLOCK
                  + " ([A-Z]{3,4} )?(?<year>\\d{4})"),
          Pattern.compile("(?<day>\\d\\d?)\\.? " + MONTH + "[a-z]* (?<year>20\\d\\d)"),
          Pattern.compile(MONTH + "[a-z]* (?<day>\\d\\d?), (?<year>20\\d\\d)"),
          Pattern.compile("(?<day>\\d\\d?)\\.(?<month>\\d\\d?)\\.(?<year>20\\d\\d)"));

  private static final double DAY = 86400;

  /** Whether a value is a time within that many seconds of another. A date is the whole day. */
  static boolean isNear(Object value, int seconds, double time) {
    Moment moment = of(value);
    return moment != null
        && moment.begin - seconds <= time
        && time <= moment.begin + moment.lasts + seconds;
  }

  /** The time that a value denotes; null if none. A time without a zone is taken as UTC. */
  static Moment of(Object value) {
    if (value instanceof String text) {
      for (Pattern pattern : WRITTEN) {
        Matcher found = pattern.matcher(text);
        if (found.matches()) {
          return of(parts(pattern, found));
        }
      }
      return counted(text);
    }
    try {
      return value instanceof Json.Num number
          ? counted(new BigDecimal(number.token()).toPlainString())
          : null;
    } catch (ArithmeticException | NumberFormatException e) {
      return null;
    }
  }

  /**
   * A count since 1970, by its number of digits; of ticks of 100 ns, which Windows counts, since
   * the year 1.
   */
  private static Moment counted(String text) {
    Matcher found = Pattern.compile("(\\d+)(\\.\\d{1,9})?").matcher(text);
    if (!found.matches()) {
      return null;
    }
    double count = Double.parseDouble(text);
    return switch (found.group(1).length()) {
      case 5 -> new Moment(count * DAY, DAY);
      case 10 -> new Moment(count, 1);
      case 13 -> new Moment(count / 1e3, 1e-3);
      case 16 -> new Moment(count / 1e6, 1e-6);
      case 18 -> new Moment(count / 1e7 - 62135596800.0, 1e-7);
      case 19 -> new Moment(count / 1e9, 1e-9);
      default -> null;
    };
  }

  private static Map<String, String> parts(Pattern pattern, Matcher found) {
    Map<String, String> parts = new HashMap<>();
    for (String name : PARTS) {
      if (pattern.pattern().contains("(?<" + name + ">") && found.group(name) != null) {
        parts.put(name, found.group(name).strip());
      }
    }
    return parts;
  }

  private static Moment of(Map<String, String> parts) {
    int year = Integer.parseInt(parts.get("year"));
    if (parts.get("year").length() == 2) {
      year += year >= 69 ? 1900 : 2000;
    }
    String word = parts.get("month");
    int month = MONTHS.contains(word) ? MONTHS.indexOf(word) + 1 : Integer.parseInt(word);
    try {
      double begin = LocalDate.of(year, month, 1).toEpochDay() * DAY;
      begin += (number(parts, "day") - 1) * DAY + number(parts, "hour") * 3600;
      begin += number(parts, "minute") * 60 + number(parts, "second");
      begin += Double.parseDouble("0." + parts.getOrDefault("fraction", "0"));
      double lasts = parts.containsKey("second") ? 1 : parts.containsKey("minute") ? 60 : DAY;
      return new Moment(begin - offset(parts.getOrDefault("zone", "")), lasts);
    } catch (DateTimeException e) { // no calendar has it
      return null;
    }
  }

  private static int number(Map<String, String> parts, String name) {
    return Integer.parseInt(parts.getOrDefault(name, "0"));
  }

  /** The seconds that a zone is ahead of UTC. */
  private static int offset(String zone) {
    Matcher found =
        Pattern.compile("([+-])(\\d\\d):?(\\d\\d)?").matcher(zone.toUpperCase(Locale.ROOT));
    if (!found.matches()) {
      return 0;
    }
    int minutes = found.group(3) == null ? 0 : Integer.parseInt(found.group(3));
    int seconds = Integer.parseInt(found.group(2)) * 3600 + minutes * 60;
    return found.group(1).equals("+") ? seconds : -seconds;
  }
}
