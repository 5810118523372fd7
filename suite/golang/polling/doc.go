// Package polling has tests in Go send a read again until its answer is ready: a function that does so, once in a file,
// and the call of it around the read. A sleep that stood before the read is taken away.
//
// A read is one whose answer nobody has looked into where the test gets it: functions of the package that send it and
// use its body or its status are refused, as sending it again would not have them look later.
package polling
