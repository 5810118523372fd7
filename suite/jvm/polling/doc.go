// Package polling has tests in Java and Kotlin send a read again until its answer is ready, or what was made of it: a
// function that does so, once in a class or a file, and the call of it around the read. A sleep that stood before the
// read is taken away. A suite that has Awaitility waits by a call of that, and the function makes what it waits for.
//
// What is written is laid out as google-java-format and ktfmt have it. Nothing is written where a lambda of Java's
// could not speak of what the read speaks of, or where the read is no statement of the test's own.
package polling
