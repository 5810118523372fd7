// Package console is how the program talks to the person who started it: lines of talk and progress on stderr, and the
// errors that carry what the command line does with them.
//
// A [Console] is handed down from the command that was started to whatever works for it. Data never goes through it:
// what a command makes goes to stdout or to a file (package outfile). Work that takes long shows a [Progress]: one line
// that is rewritten in place on a terminal, a plain line every few seconds elsewhere, nothing at all where the user
// asked for quiet.
//
// Three kinds of errors mean something to the command line, wherever they arise: [Usage] marks a mistake in the
// arguments (exit code 2), [Advise] adds what the user can do, and [ExitStatus] ends the program with a status of its
// own, as that of a client that was run. All other errors end it with 1. They are printed once, in cmd.
package console
