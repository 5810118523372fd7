package mutant

import (
	"bytes"
	"strconv"
	"strings"
)

// withStatus returns a head with another status.
func withStatus(head []byte, status int) []byte {
	head = bytes.TrimLeft(head, "\r\n") // empty lines may stand before it
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	end := "\n"
	if bytes.HasSuffix(line, []byte("\r")) {
		end = "\r\n"
	}
	proto, _, _ := bytes.Cut(line, []byte(" "))
	out := append(bytes.Clone(proto), ' ')
	out = append(strconv.AppendInt(out, int64(status), 10), ' ')
	return append(append(append(out, reason(status)...), end...), rest...)
}

// reason is the phrase of the statuses that mutants have (RFC 9110 §15).
func reason(status int) string {
	switch status {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 202:
		return "Accepted"
	case 203:
		return "Non-Authoritative Information"
	case 301:
		return "Moved Permanently"
	case 302:
		return "Found"
	case 307:
		return "Temporary Redirect"
	case 308:
		return "Permanent Redirect"
	case 400:
		return "Bad Request"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 409:
		return "Conflict"
	case 422:
		return "Unprocessable Content"
	case 500:
		return "Internal Server Error"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	}
	return ""
}

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

// editHeader returns a head with the mutant in it.
func (m Mutant) editHeader(head []byte) ([]byte, bool) {
	_, name, _ := strings.Cut(strings.TrimPrefix(string(m.Place), "/"), "/")
	name = strings.NewReplacer("~1", "/", "~2", "*", "~0", "~").Replace(name)
	var out []byte
	changed := false
	for _, l := range lines(head) {
		if l.name != name {
			out = append(out, l.raw...)
			continue
		}
		switch m.Kind {
		case Drop:
			changed = true
		case Change:
			var did bool
			l.raw, did = m.otherField(l.raw)
			changed = changed || did
			out = append(out, l.raw...)
		default:
			out = append(out, l.raw...)
		}
	}
	return out, changed
}

// otherField changes the value of a field line: of one with parameters, what stands before them.
func (m Mutant) otherField(raw []byte) ([]byte, bool) {
	at := bytes.IndexByte(raw, ':') + 1
	value := bytes.TrimSpace(raw[at:])
	begin := at + bytes.Index(raw[at:], value)
	end := begin + len(value)
	if m.Volatile {
		return append(append(bytes.Clone(raw[:begin]), nonsense...), raw[end:]...), string(value) != nonsense
	}
	if i := bytes.IndexByte(value, ';'); i > 0 {
		end = begin + i
	}
	return append(append(bytes.Clone(raw[:begin]), nextText(raw[begin:end])...), raw[end:]...), true
}
