// Package junit rewrites a copy of a suite in Java or Kotlin so that an assertion that fails does not end its test.
//
// An extension of JUnit 5, or a rule of JUnit 4, stands around a test, and cannot have it go on in its middle. An
// agent, or classes of assertions of another make on the class path, would have to be a jar for each version of each
// library, and be let into build tools that set the class path themselves. The source of the copy is what every build
// compiles anyway, as it compiles the suite once that is patched. So that is rewritten, and what it then calls stands
// at the end of each file (Muted.java, Muted.kt): no command has to name a further file.
//
// Each file is split into tokens, and its methods are found (package java). Their statements are gone through (mute.go,
// statement.go): an assertion gets a try of its own, REST-assured's then() a stand-in whose links do not raise
// (expression.go), a test a beginning and an end, at which its first failure is raised. A try with catch is marked:
// what it waits for is raised there. Where a request is made of an answer, the test looks whether that is there. No
// line moves.
//
// Kotlin's statements are told as Java's (package kotlin), each with its place in the file, so that both are gone
// through alike; what is Kotlin's alone stands in kotlin.go. There a function of a library may be put in where it is
// called, so that no stack shows it: lambdas that are given to functions which are not known are marked as a try is.
// And there the compiler may learn from an assertion, as that x is not null: where something leans on that, it is live.
//
// As it runs, an assertion asks the stack: where a library stands between it and its test, as in assertThrows, or where
// no test runs, as in hooks, it is live.
package junit
