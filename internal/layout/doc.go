// Package layout breaks what is written into lines: a program's pieces stand on one line where they fit, and in several
// where they do not. It is Oppen's algorithm in the form of Wadler ("A prettier printer", 2003), with prettier's states
// of a group: several ways to lay a piece out, of which the first that fits is taken (layout.go).
//
// Whoever makes pieces of a program takes it apart by its tokens and their brackets (tokens.go).
package layout
