// Package python is the dialect of tests in Python: EvoMaster's (unittest, requests), and those that people write.
//
// Property names in which the generator left quotes unescaped are escaped (keys), as Python would take the file for no
// program; package syntax splits logical lines into tokens and parses expressions, which are translated to trees of
// package expr by package meaning: of EvoMaster's tests in the order of their statements (read.go), of others by
// following each test (written.go). What is not known becomes an expr.Unknown, never a guess. Package source
// writes trees as Python. Bytes, and expressions that nest more than 200 deep, are refused: such an assertion is kept
// as it is.
package python
