// Package polling has tests in Python send a read again until its answer is ready: a function that does so, once in a
// file, and the call of it in the place of the read. A sleep that stood before the read is taken away.
package polling
