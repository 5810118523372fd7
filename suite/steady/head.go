package steady

import (
	"bytes"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// field is one field of a head, folds and line ends included.
type field struct {
	name  string // lower case; "" for what is none
	value string // without the white space around it
	line  []byte
	start int // of the value, within line
	end   int
}

// fieldsOf splits a head into its first lines, through the start line, and its fields. What follows is the blank line.
func fieldsOf(head []byte) (start []byte, fields []field, blank []byte) {
	pos := 0
	next := func() []byte {
		n := bytes.IndexByte(head[pos:], '\n') + 1
		if n == 0 {
			n = len(head) - pos
		}
		line := head[pos : pos+n]
		pos += n
		return line
	}
	for pos < len(head) {
		if line := next(); len(bytes.TrimRight(line, "\r\n")) > 0 {
			break
		}
	}
	start = head[:pos]
	for pos < len(head) {
		from := pos
		line := next()
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return start, fields, head[from:]
		}
		for pos < len(head) && (head[pos] == ' ' || head[pos] == '\t') {
			next()
		}
		fields = append(fields, fieldOf(head[from:pos]))
	}
	return start, fields, nil
}

func fieldOf(line []byte) field {
	f := field{line: line}
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return f
	}
	f.name = strings.ToLower(strings.TrimSpace(string(line[:colon])))
	f.start = colon + 1
	f.end = len(bytes.TrimRight(line, " \t\r\n"))
	for f.start < f.end && (line[f.start] == ' ' || line[f.start] == '\t') {
		f.start++
	}
	f.end = max(f.end, f.start)
	f.value = string(line[f.start:f.end])
	return f
}

// with returns the line with another value.
func (f field) with(value string) []byte {
	out := append(bytes.Clone(f.line[:f.start]), value...)
	return append(out, f.line[f.end:]...)
}

// edited returns a head with each field replaced by what edit returns for it; nil leaves it out.
func edited(head []byte, edit func(f field) []byte) []byte {
	start, fields, blank := fieldsOf(head)
	out := bytes.Clone(start)
	for _, f := range fields {
		out = append(out, edit(f)...)
	}
	return append(out, blank...)
}

// withoutField leaves the fields of a name out.
func withoutField(head []byte, name string) []byte {
	return edited(head, func(f field) []byte {
		if strings.EqualFold(f.name, name) {
			return nil
		}
		return f.line
	})
}

// withFields adds a field for each value behind the others.
func withFields(head []byte, name string, values []string) []byte {
	start, fields, blank := fieldsOf(head)
	out := bytes.Clone(start)
	for _, f := range fields {
		out = append(out, f.line...)
	}
	for _, v := range values {
		out = append(out, name+": "+printable(v)+"\r\n"...)
	}
	if len(blank) == 0 {
		blank = []byte("\r\n")
	}
	return append(out, blank...)
}

// printable makes a text fit for a header: a place may hold any key.
func printable(s string) string {
	const most = 300
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), most)]
}

// withoutUpgrade returns a request that does not ask for HTTP/2, which some clients do with each first one: what passes
// in HTTP/2 cannot be held still.
func withoutUpgrade(r exchange.Request) exchange.Request {
	if !r.Header.HasToken("Upgrade", "h2c") {
		return r
	}
	head := edited(r.Head, func(f field) []byte {
		switch f.name {
		case "upgrade", "http2-settings":
			return nil
		case "connection":
			var kept []string
			for _, token := range strings.Split(f.value, ",") {
				token = strings.TrimSpace(token)
				if !strings.EqualFold(token, "Upgrade") && !strings.EqualFold(token, "HTTP2-Settings") {
					kept = append(kept, token)
				}
			}
			if len(kept) == 0 {
				return nil
			}
			return f.with(strings.Join(kept, ", "))
		}
		return f.line
	})
	return exchange.ParseRequest(exchange.Message{Head: head, Body: r.Body})
}
