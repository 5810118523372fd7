// Package rewrite writes another time in the place of that of a wait: that time, its unit where it has to, and no other
// byte of the file.
//
// A time is written as the one was that stands there: a number in the unit that the call takes, n * time.Millisecond in
// Go, Duration.ofMillis(n) where a Duration stands, 0.25.seconds in Kotlin. A constant stays as it is, and gives way to
// the time itself in that one place. What was written is read again: a text in which the wait does not have the time
// that was asked for, or another one has changed, is none.
package rewrite
