package mutant

import (
	"bytes"
	"strconv"
	"strings"
)

// line is one field of a head, with the lines that carry it on.
type line struct {
	name string // lower case; "" for the start line, the blank line and what is no field
	raw  []byte
}

// lines splits a head into its lines; together they are the head.
func lines(head []byte) []line {
	var out []line
	start := true
	for raw := range bytes.Lines(head) {
		name, _, found := bytes.Cut(raw, []byte(":"))
		switch {
		case start: // empty lines may stand before it
			start = len(bytes.TrimSpace(raw)) == 0
			out = append(out, line{"", raw})
		case (raw[0] == ' ' || raw[0] == '\t') && len(out) > 0 && out[len(out)-1].name != "":
			fold := &out[len(out)-1]
			fold.raw = append(bytes.Clone(fold.raw), raw...)
		case found:
			out = append(out, line{strings.ToLower(string(bytes.TrimSpace(name))), raw})
		default:
			out = append(out, line{"", raw})
		}
	}
	return out
}

// withLength returns a head that announces a body of so many bytes, without any coding. The line stands where the first
// that said something of this stood.
func withLength(head []byte, length int) []byte {
	own := []byte("Content-Length: " + strconv.Itoa(length) + "\r\n")
	var out []byte
	said := false
	for _, l := range lines(head) {
		switch l.name {
		case "content-length", "transfer-encoding", "content-encoding", "trailer":
			if !said {
				out, said = append(out, own...), true
			}
			continue
		case "":
			if len(bytes.TrimSpace(l.raw)) == 0 && len(out) > 0 && !said {
				out, said = append(out, own...), true
			}
		}
		out = append(out, l.raw...)
	}
	return out
}

// editHeader returns a head with a fault in each line of the mutant's field.
func (m Mutant) editHeader(head []byte, f fault) ([]byte, bool) {
	if f.field == nil {
		return nil, false
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(string(m.Place), "/"), "/")
	name = strings.NewReplacer("~1", "/", "~2", "*", "~0", "~").Replace(name)
	var out []byte
	changed := false
	for _, l := range lines(head) {
		if l.name == name {
			raw, did := f.field(m, l.raw)
			l.raw, changed = raw, changed || did
		}
		out = append(out, l.raw...)
	}
	return out, changed
}
