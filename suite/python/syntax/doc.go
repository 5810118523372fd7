// Package syntax is the syntax of Python, as suites have it: a file's statements with their tokens, and expressions
// parsed to nodes. What a node means is not its business.
package syntax
