// Package library knows the libraries that tests in JavaScript send requests by: the modules that they are, the methods
// that send, and how each shows an answer.
package library
