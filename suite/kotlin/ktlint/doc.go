// Package ktlint lays assertions of Kotlin out as ktlint wants them: with arguments, operands and the calls of a long
// chain on lines of their own where a line would get too long. ktlint leaves open where a line is broken first; it is
// done from the outside in here.
//
// A statement's tokens become a layout (ktlint.go), and internal/layout breaks that into lines.
package ktlint
