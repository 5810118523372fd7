package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// YAML writes the map's own file, member by member, as YAML 1.2. Texts and keys are in double quotes, so that none is
// taken for a number, a date or a truth value.
//
// The YAML module does not encode it: the module writes characters beyond U+FFFF as escapes, and the bytes of this form
// are fixed.
func YAML(w io.Writer, m *mapfile.Map, o FormOptions) error {
	var doc bytes.Buffer
	if err := m.Encode(&doc, mapfile.EncodeOptions{All: o.All}); err != nil {
		return err
	}
	dec := json.NewDecoder(&doc)
	dec.UseNumber()
	y := &yamlWriter{in: dec, out: bufio.NewWriter(w)}
	if err := y.value(0, ""); err != nil {
		return err
	}
	return y.out.Flush()
}

// yamlWriter turns the tokens of a JSON document into YAML.
type yamlWriter struct {
	in  *json.Decoder
	out *bufio.Writer
}

// value writes the next value. lead is what stands before it on its line, such as "- " or a key.
func (y *yamlWriter) value(depth int, lead string) error {
	token, err := y.in.Token()
	if err != nil {
		return fmt.Errorf("read map: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return y.container(depth, lead, "{}")
	case json.Delim('['):
		return y.container(depth, lead, "[]")
	}
	_, err = fmt.Fprintf(y.out, "%s%s\n", lead, yamlScalar(token))
	return err
}

// container writes what is in a container that has begun.
func (y *yamlWriter) container(depth int, lead, empty string) error {
	if !y.in.More() {
		fmt.Fprintf(y.out, "%s%s\n", lead, empty)
		_, err := y.in.Token()
		return err
	}
	list := empty == "[]"
	// A list's element begins on the line of its dash, a member's value on the line below its key.
	pad := strings.Repeat("  ", depth)
	first := pad
	switch {
	case strings.HasSuffix(lead, "- "):
		first = lead
	case lead != "":
		fmt.Fprintf(y.out, "%s\n", strings.TrimRight(lead, " "))
	}
	for y.in.More() {
		next := first + "- "
		if !list {
			key, err := y.in.Token()
			if err != nil {
				return fmt.Errorf("read map: %w", err)
			}
			next = first + yamlKey(key) + ": "
		}
		if err := y.value(depth+1, next); err != nil {
			return err
		}
		first = pad
	}
	_, err := y.in.Token()
	return err
}

// yamlScalar writes a JSON scalar: a JSON string whose escapes are all YAML's too is a double-quoted one.
func yamlScalar(token json.Token) string {
	switch v := token.(type) {
	case string:
		return yamlString(v)
	case nil:
		return "null"
	}
	return fmt.Sprint(token)
}

// yamlString writes a text in double quotes.
func yamlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for s != "" {
		piece, size := visible(s)
		switch {
		case s[0] == '"' || s[0] == '\\':
			b.WriteString(`\` + s[:1])
		case strings.HasPrefix(piece, `\u{`): // of more than four digits
			fmt.Fprintf(&b, `\U%08x`, []rune(s[:size])[0])
		default:
			b.WriteString(piece)
		}
		s = s[size:]
	}
	b.WriteByte('"')
	return b.String()
}

// yamlKey writes a key: one of the map's own words as it is.
func yamlKey(token json.Token) string {
	key := fmt.Sprint(token)
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_-") == "" && key != "null" && key != "true" &&
		key != "false" &&
		key != "yes" && key != "no" && key != "on" && key != "off" && key != "y" && key != "n" && key[0] != '-' {
		return key
	}
	return yamlString(key)
}
