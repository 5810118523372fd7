// Package kotlin reads the syntax of Kotlin, as far as tests that people write have it, as that of Java: so one dialect
// follows both.
//
// A file is split into tokens (suite/java does that). Its declarations (declare.go) and statements (statement.go) are
// gone through, and told again in the order and the form that Java has for them: a property with its type before its
// name, a function whose body is an expression with a return, a statement with a semicolon at its end, a loop over a
// collection with a colon, a string with templates as a sum (express.go). Each token still says where it stands in the
// file; one that the file does not have is empty there. Expressions stay Kotlin's: suite/java parses them to the tree
// that it has for Java. What has no like in Java, a when or a try that is a value, becomes one that nobody knows.
//
// It says nothing of what code means, and refuses a file whose brackets, texts or comments do not end.
package kotlin
