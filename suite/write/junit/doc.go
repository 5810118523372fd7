// Package junit writes a plan as a Maven project of JUnit 5 tests, in Java ([Write]) or in Kotlin ([WriteKotlin]), that
// send with REST-assured.
//
// Both languages share one runtime, in Java: tests in Kotlin stand in src/test/kotlin and call it in src/test/java.
// What the two languages spell differently is in one struct, language; the statements, their order and the checks are
// the same.
//
// Source is laid out as google-java-format and ktfmt do (doc, layout): a group stands on one line if it fits there,
// else each of its breaks becomes a line. Classes, methods and constants are cut where a class file has limits (65535
// constants, 64 KiB of code or text).
package junit
