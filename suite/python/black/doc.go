// Package black lays Python out as black and ruff do. A statement that is too long for its line is split into tokens
// by its caller; [Broken] looks for the brackets that it is broken behind and, where none will do, puts it in
// parentheses, one operand a line; what stands in brackets is broken in the same way. A [Piece] is laid out as it is
// made.
package black
