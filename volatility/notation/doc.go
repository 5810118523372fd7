// Package notation knows how APIs write single values: which JSON type a token is of, which point in time a text or
// number may be, which formats a string has, how strings that were drawn are spelled, and in which number two texts
// differ. It knows nothing of places, answers or runs; whether a value moves is for others to say.
//
// # How a value is read
//
// [ScalarOf] tells the type of a raw token by its first byte. [MomentOf] reads a scalar as a point in time: numbers as
// counts since an epoch by their number of digits; texts by the notations from the most to the least telling, so that
// the digits of an ISO date are not taken for a count: HTTP's date, what is a moment from its first digit to its last,
// a UUID of version 1 or 6, ISO 8601 within a text, other notations of dates, dates with the names of months, the time
// of day. Cheap tests come before expressions, as every string of every answer is looked at.
//
// [MomentAt] reads more where it is known when the answer was made. No text says which number of 3/11/2026 is the
// month, or which language a word is of: all readings are tried, and the one nearest to the answer counts. What many
// other things look like as well (261103, 2026-11, Sunday, 9 o'clock) is a moment only where it is near.
// [Moment.Coincidence] is the chance that a fixed value would be as near, on which the judgement puts a limit: a
// reading proves nothing yet.
//
// [ShapesOf] gives all formats that a string satisfies, as a set; the intersection over many strings is what they have
// in common ([ShapesAmong] asks for no others). [Formats] has them from the most telling to the least, and
// [FormatPattern] what a test asserts of each: the expressions are readable to RE2, Python, Java and JavaScript alike.
//
// A [Spelling] takes in texts one by one and finds the runs of letters and digits that vary, and the least alphabet
// that they were drawn from, where it is all but impossible that a larger one would not have shown.
//
// [DrawnTogether] and [DrawnName] tell of several texts together whether they were drawn, where no one of them does.
//
// # What is always true
//
// Any bytes may be read: what is no moment, and of no format, is none. A notation without a zone is read as UTC, and
// [Moment.Distance] allows for any zone. Nothing here has a clock.
//
// # What it leans on
//
// RFC 3339 and ISO 8601 for dates, weeks and durations; RFC 9110 5.6.7 for HTTP's; RFC 9562 for UUIDs and their
// versions; the Unicode CLDR for the names of months and weekdays, in names.txt, which internal/cldr writes; RFC 7519
// for the look of a JWT; Semantic Versioning 2.0.0; .NET's ticks since the year 1.
package notation
