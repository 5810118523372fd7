// Package java reads the syntax of Java and Kotlin, as far as suites have it: what the dialects of suite/jvm share.
//
// A file is split into tokens (token.go, text.go); expressions are parsed from these (parse.go), those of people with
// their operators and lambdas (operators.go), and a text is told as far as it is written out (written.go). [Read]
// finds the classes of a file of Java with their fields and methods (module.go), and in which order their tests run
// (order.go). What people write in Kotlin has templates in its strings (kotlin.go) and operators of its own
// (infix.go); [ReadKotlin] takes its declarations and statements as suite/kotlin tells them.
//
// It says nothing of what code means, and refuses a file whose brackets, texts or comments do not end.
package java
