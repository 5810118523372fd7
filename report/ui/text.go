package ui

import (
	"encoding/hex"
	"strings"

	"github.com/flaketap/flaketap/report"
)

// The bounds on what is shown of one text: a browser is slow with more, and nobody reads it.
const (
	maxText = 256 << 10 // bytes
	maxHex  = 16 << 10  // bytes, of what is no text
	maxLine = 8000      // columns
)

// textView is a text by its lines, fit to be looked at.
type textView struct {
	Lines []string
	Hex   bool // it is no text
	More  int  // bytes for which there is no room
}

// newText shows bytes as they are, what cannot be seen in them as escapes.
func newText(b []byte) textView {
	var v textView
	if v.Hex = !report.Readable(b); v.Hex {
		part := b[:min(len(b), maxHex)]
		v.More = len(b) - len(part)
		v.Lines = strings.Split(strings.TrimSuffix(hex.Dump(part), "\n"), "\n")
		return v
	}
	part := string(b[:min(len(b), maxText)])
	v.More = len(b) - len(part)
	for line := range strings.Lines(part) {
		v.Lines = append(v.Lines, report.Show(strings.TrimSuffix(line, "\n"), maxLine))
	}
	return v
}

// newBody shows the body of a message, JSON over several lines.
func newBody(b report.Body) textView {
	if b.Base64 != nil {
		return newText(b.Base64)
	}
	return newText([]byte(report.Indented(b.Text)))
}
