// Package script says what a suite of tests is once it has been read, whatever its language: a [Script] of tests,
// calls, extractions and assertions, each with the bytes of the file that it stands in.
//
// A [Dialect] is one form of suites. It reads a file in one pass to a Script, the meaning of each assertion and
// extraction as a tree of package expr, and returns a [Writer]: a struct of functions, nil where the form has no need
// of one or lacks it, so that what a form can do is seen at one glance. All changes of a file are an [Edit] of its
// bytes; what is not edited stays as it was. [Claims] turns the meaning of an assertion into the claim that it makes
// about a place of an answer, by the same rules for each dialect.
//
// The package refuses files beyond 64 MiB, text that is not UTF-8, and values that nest too deeply ([MaxDepth]); a
// damaged file gives a [SyntaxError] with its line, and is then left alone. It also has the few readers that several
// dialects share: line ends, JSON with offsets, URLs with variables in them.
package script
