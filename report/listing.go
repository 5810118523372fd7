package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Form is the form of a listing.
type Form string

// The forms of listings.
const (
	FormText   Form = "text"   // columns, for people
	FormJSON   Form = "json"   // one JSON document
	FormNDJSON Form = "ndjson" // a JSON document on each line
)

// Column is one column of a listing in text form.
type Column struct {
	Name  string
	Max   int  // the greatest width; what is wider loses its middle. 0: as wide as it comes, for the last column
	Right bool // numbers stand at the right
}

// Listing writes records one after the other, in any number: what it holds of them does not grow. In text form the
// widths of the columns are those of the first records. No control character is written in any form but the line feed
// between lines, so that what a recording holds cannot play tricks on a terminal.
type Listing struct {
	out     *bufio.Writer
	form    Form
	columns []Column
	held    [][]string // the first rows, until the widths are settled
	widths  []int      // nil until then
	count   int
}

// settleAfter is the number of rows that decide on the widths of columns.
const settleAfter = 100

// NewListing returns a Listing that writes to w.
func NewListing(w io.Writer, form Form, columns ...Column) *Listing {
	return &Listing{out: bufio.NewWriter(w), form: form, columns: columns}
}

// Add writes one record: as JSON, or as the cells that stand for it in the columns.
func (l *Listing) Add(record any, cells ...string) error {
	l.count++
	if l.form == FormText {
		if l.widths != nil {
			return l.row(cells)
		}
		if l.held = append(l.held, cells); len(l.held) == settleAfter {
			return l.settle()
		}
		return nil
	}
	line, err := plainJSON(record, "")
	if err != nil {
		return fmt.Errorf("list record %d: %w", l.count, err)
	}
	if l.form == FormJSON {
		sep := ",\n"
		if l.count == 1 {
			sep = "[\n"
		}
		if _, err := l.out.WriteString(sep); err != nil {
			return err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
	}
	_, err = l.out.Write(line)
	return err
}

// Count returns the number of records so far.
func (l *Listing) Count() int { return l.count }

// Close writes what is left. A listing without records is an empty document in JSON and nothing in the other forms.
func (l *Listing) Close() error {
	var err error
	switch {
	case l.form == FormText && l.widths == nil && l.count > 0:
		err = l.settle()
	case l.form == FormJSON && l.count == 0:
		_, err = l.out.WriteString("[]\n")
	case l.form == FormJSON:
		_, err = l.out.WriteString("\n]\n")
	}
	if err != nil {
		return err
	}
	return l.out.Flush()
}

// settle decides on the widths and writes the rows that were held.
func (l *Listing) settle() error {
	rows := l.held
	l.held, l.widths = nil, make([]int, len(l.columns))
	head := make([]string, len(l.columns))
	for i, c := range l.columns {
		head[i] = c.Name
		l.widths[i] = columns(c.Name)
		for _, r := range rows {
			if i < len(r) {
				l.widths[i] = max(l.widths[i], columns(show(r[i], l.max(i))))
			}
		}
	}
	for _, r := range append([][]string{head}, rows...) {
		if err := l.row(r); err != nil {
			return err
		}
	}
	return nil
}

// maxCell bounds a cell of a column that has no bound of its own.
const maxCell = 2000

func (l *Listing) max(i int) int {
	if m := l.columns[i].Max; m > 0 {
		return max(m, columns(l.columns[i].Name))
	}
	return maxCell
}

func (l *Listing) row(cells []string) error {
	var b strings.Builder
	for i := range l.columns {
		var cell string
		if i < len(cells) {
			cell = showEnds(cells[i], l.max(i))
		}
		pad := strings.Repeat(" ", max(0, l.widths[i]-columns(cell)))
		if i > 0 {
			b.WriteString("  ")
		}
		if l.columns[i].Right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	_, err := l.out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	return err
}

// JSON writes one value as an indented JSON document, in which every character that is not printed is an escape.
func JSON(w io.Writer, value any) error {
	doc, err := plainJSON(value, "  ")
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = w.Write(doc)
	return err
}

// plainJSON encodes a value on one line, or indented, with a line feed at its end.
func plainJSON(value any, indent string) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return escapeUnseen(buf.Bytes()), nil
}

// escapeUnseen replaces what JSON may hold raw but a terminal may obey, or not show: the controls above ASCII, DEL,
// marks of direction and of no width. In a JSON document such characters stand in strings only.
func escapeUnseen(doc []byte) []byte {
	unseen := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if bytes.IndexFunc(doc, unseen) < 0 {
		return doc
	}
	out := make([]byte, 0, len(doc)+16)
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		switch {
		case !unseen(r):
			out = append(out, doc[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[size:]
	}
	return out
}
