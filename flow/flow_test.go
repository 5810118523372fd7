package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// script makes exchanges of a text: "> METHOD TARGET" begins a request and "< STATUS" its response; lines with a colon
// after them are fields, a line that begins with "=" is the body, with ~ for the end of a line.
func script(t testing.TB, text string) []*exchange.Exchange {
	t.Helper()
	var (
		out  []*exchange.Exchange
		head strings.Builder
		body string
		in   byte
	)
	end := func() {
		m := exchange.Message{Head: []byte(head.String() + "\r\n"), Body: []byte(body)}
		switch in {
		case '>':
			out = append(out, &exchange.Exchange{Seq: uint64(len(out) + 1), Pass: 1, Scheme: "http", Addr: "a:1", Request: exchange.ParseRequest(m)})
		case '<':
			m.Plain = true
			out[len(out)-1].Response = exchange.ParseResponse(m)
		}
		head.Reset()
		body = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '>':
			end()
			in = '>'
			fmt.Fprintf(&head, "%s HTTP/1.1\r\n", strings.TrimSpace(line[1:]))
		case line[0] == '<':
			end()
			in = '<'
			fmt.Fprintf(&head, "HTTP/1.1 %s X\r\n", strings.TrimSpace(line[1:]))
		case line[0] == '=':
			body = strings.ReplaceAll(line[1:], "~", "\r\n")
			if in == '>' {
				fmt.Fprintf(&head, "Content-Length: %d\r\n", len(body))
			}
		default:
			head.WriteString(line + "\r\n")
		}
	}
	end()
	return out
}

// show writes bindings one per line: name, value, producer and uses.
func show(bindings []exchange.Binding) []string {
	var out []string
	for _, b := range bindings {
		s := fmt.Sprintf("%s=%s %d%s", b.Name, b.Value, b.Producer.Seq, b.Producer.Place)
		for _, u := range b.Uses {
			s += fmt.Sprintf(" > %d%s", u.Seq, u.Place)
		}
		out = append(out, s)
	}
	return out
}
