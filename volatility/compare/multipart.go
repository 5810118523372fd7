package compare

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"slices"
	"strconv"
	"strings"
)

// multipartJSON reads the parts of a multipart body (RFC 2046 §5.1) as an object: by the name of each, or its number
// where it has none, its fields in lower case, the name of its file, and its body, which is decoded where it says how
// it is encoded. A last part that is not ended is a part.
func multipartJSON(s string, params []param) string {
	boundary := named(params, "boundary")
	if boundary == "" || len(boundary) > 70 {
		return ""
	}
	delimiter := "--" + boundary
	pos := delimited(s, delimiter, 0)
	if pos < 0 {
		return ""
	}
	var w writer
	w.open('{')
	for n := 0; pos >= 0; n++ {
		from := pos + len(delimiter)
		if strings.HasPrefix(s[from:], "--") {
			break
		}
		if n > maxItems {
			return ""
		}
		pos = delimited(s, delimiter, from)
		end := len(s)
		if pos >= 0 {
			end = pos
		}
		line := strings.IndexByte(s[from:end], '\n')
		if line < 0 {
			continue
		}
		body := strings.TrimSuffix(strings.TrimSuffix(s[from+line+1:end], "\n"), "\r")
		writePart(&w, body, n)
	}
	w.end('}')
	return w.String()
}

// delimited returns where the next line begins that is the delimiter, white space and the hyphens of the last one
// aside, -1 where there is none.
func delimited(s, delimiter string, from int) int {
	for from < len(s) {
		k := strings.Index(s[from:], delimiter)
		if k < 0 {
			return -1
		}
		at, end := from+k, from+k+len(delimiter)
		if (at == 0 || s[at-1] == '\n') && (end == len(s) || strings.IndexByte("\r\n-\t ", s[end]) >= 0) {
			return at
		}
		from += k + 1
	}
	return -1
}

// maxFields bounds the header fields of one part.
const maxFields = 64

func writePart(w *writer, part string, n int) {
	head, body := cutHead("\n" + part) // it may have no fields at all
	var fields []param
	for line := range strings.SplitSeq(head, "\n") {
		name, value, found := strings.Cut(strings.TrimSpace(line), ":")
		if found && len(fields) < maxFields {
			fields = append(fields, param{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)})
		}
	}
	_, disposition := parameters(named(fields, "content-disposition"))
	name := strconv.Itoa(n)
	if slices.ContainsFunc(disposition, func(p param) bool { return p.name == "name" }) {
		name = named(disposition, "name")
	}
	w.key(name)
	w.open('{')
	for _, f := range fields {
		if f.name != "content-disposition" && f.name != "body" {
			w.member(f.name, f.value)
		}
	}
	if file := named(disposition, "filename"); file != "" {
		w.member("filename", file)
	}
	w.key("body")
	w.raw(textToken(transferred(body, named(fields, "content-transfer-encoding"))))
	w.end('}')
}

// cutHead cuts a part at its blank line. A part without one is all body.
func cutHead(part string) (head, body string) {
	at, end := len(part), -1
	for _, blank := range []string{"\n\r\n", "\n\n"} {
		if i := strings.Index(part, blank); i >= 0 && i < at {
			at, end = i, i+len(blank)
		}
	}
	if end < 0 {
		return "", part
	}
	return part[:at], part[end:]
}

// transferred takes the transfer encoding of a part off. What is not encoded as it says stays as it is.
func transferred(body, encoding string) string {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		if plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body))); err == nil {
			return string(plain)
		}
	case "base64":
		letters := strings.Map(func(r rune) rune {
			if r == '\r' || r == '\n' || r == ' ' || r == '\t' {
				return -1
			}
			return r
		}, body)
		if plain, err := base64.StdEncoding.DecodeString(letters); err == nil {
			return string(plain)
		}
	}
	return body
}
