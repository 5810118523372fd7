// Package python is the dialect of EvoMaster's tests in Python: unittest, requests, bare assert statements.
//
// A file is read in these steps: property names in which the generator left quotes unescaped are escaped (keys.go), as
// Python would take the file for no program; logical lines are split into tokens (token.go); the statements of each
// test are read in order, as a header or a body that one assigns is sent by the call after it (read.go); expressions
// are parsed by precedence climbing (parse.go) and translated to trees of package expr (meaning.go). What is not known
// becomes an expr.Unknown, never a guess. [Source] writes trees as Python (source.go).
//
// The package refuses bytes and expressions that nest more than 200 deep: such an assertion is kept as it
// is.
package python
