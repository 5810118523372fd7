// Package await says what a test waits for at a call that reads too early, in the words of suite/expr: what an
// [settle.Oracle] wants of the answer, as a condition that any dialect can write, with how long that takes, for people.
// Everything here is pure.
package await
