// Package meaning knows what the values of tests for the JVM stand for, and what is said of them.
//
// An expression in which every name has its value in its place means an expression of suite/expr ([Of], meaning.go).
// What was taken from an answer is a [Value], whose methods, of REST-assured's paths, Jackson, Gson, org.json and
// Java's own classes, give others (value.go). A path is read as Groovy's GPath has it (gpath.go), within a JSON web
// token too (token.go): one that leads nowhere gives null in REST-assured, and what is read says so.
//
// Unknown values have no meaning but why.
package meaning
