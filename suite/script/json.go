package script

import (
	"errors"
	"strings"

	"github.com/flaketap/flaketap/internal/jsontree"
)

// ParseJSON reads the text of a file that is one JSON value. The error is a *SyntaxError.
func ParseJSON(file, text string) (*jsontree.Node, error) {
	n, err := jsontree.Parse(text, jsontree.Bounds{Depth: MaxDepth, Values: len(text) + 1})
	return n, jsonError(file, text, 0, err)
}

// JSONEnd returns where the JSON value ends, in bytes, that the text of a file goes on with at a byte. The error is a
// *SyntaxError.
func JSONEnd(file, text string, at int) (int, error) {
	n, err := jsontree.ParsePrefix(text[at:], jsontree.Bounds{Depth: MaxDepth, Values: len(text) + 1})
	if err != nil {
		return 0, jsonError(file, text, at, err)
	}
	return at + n.End, nil
}

// jsonError says in which line of a file the JSON that begins at a byte is wrong.
func jsonError(file, text string, at int, err error) error {
	var e *jsontree.SyntaxError
	if !errors.As(err, &e) {
		return err
	}
	before := text[:at+e.Offset]
	line := 1 + strings.Count(before, "\n") + strings.Count(strings.ReplaceAll(before, "\r\n", ""), "\r")
	return &SyntaxError{File: file, Line: line, Reason: e.Reason}
}
