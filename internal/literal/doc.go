// Package literal writes texts as string literals of the languages that test suites are written in. Each takes any
// valid UTF-8 and gives back one literal, in quotes, on one line, that its language reads as that text; what cannot be
// seen in an editor is escaped.
package literal
