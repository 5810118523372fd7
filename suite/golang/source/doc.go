// Package source parses files of tests in Go, and knows what their names stand for, where things stand in the text, and
// which functions and types the files beside them declare.
//
// It refuses files that are not Go. Imported packages are not loaded: what they declare is known by its name alone, and
// the type of whatever is made of it is not known.
package source
