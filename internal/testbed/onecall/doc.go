// Package onecall tries a dialect of suites on a suite of one test that sends one request: for the tests of the
// packages that read and write suites.
//
// A [Suite] reads the suite with another assertion in the place of its own, writes statements there, and holds what was
// written against what was meant: [Suite.RoundTrip] draws a statement, has the dialect write it and read it again, and
// wants both to say the same of many answers. What a dialect cannot say it may leave out, which is for its own table to
// notice. The package draws nothing by itself: a chooser is given, so that a failure can be made smaller.
//
// It leans on suite/expr for what statements mean, and refuses nothing: a suite that is wrong fails its test.
package onecall
