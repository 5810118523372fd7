package playwright

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// asks is a tap that asks each command so often, gives its last answer, and notes what it is told.
type asks struct {
	times int
	mu    sync.Mutex
	said  []string
}

func (a *asks) say(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, fmt.Sprintf(format, args...))
}

func (a *asks) Starts(addr string) int { a.say("starts %s", addr); return 3 }
func (a *asks) Opens(browser int)      { a.say("opens %d", browser) }
func (a *asks) Ends(browser int)       { a.say("ends %d", browser) }

func (a *asks) Command(c oracle.Command, once bool, ask func() (oracle.Answer, bool), look func() [][]oracle.Name) int {
	a.say("%s, once %t", c.Does, once)
	for i := range a.times {
		answer, ok := ask()
		if !ok {
			a.say("gone")
			return 0
		}
		a.say("%s%s", answer.Value, answer.Error)
		if i == a.times-1 {
			if c.Does == "names" {
				a.say("%v", look())
			}
			return i
		}
	}
	return 0
}

// A suite is told that it may go on, to ask again, and which answer it is given.
func TestConversations(t *testing.T) {
	for _, tt := range []struct {
		name  string
		says  []string // lines of the suite
		told  []string
		noted []string
	}{
		{"a command", []string{`{"command":{"kind":"reads","does":"text"}}`, `{"answer":{"value":"1"}}`, `{"answer":{"error":"TimeoutError"}}`},
			[]string{`{}`, `{"again":true}`, `{"give":1}`}, []string{"text, once false", "1", "TimeoutError"}},
		{"once", []string{`{"command":{"kind":"acts","does":"accept"},"once":true}`, `{"answer":{"value":""}}`, `{"answer":{}}`},
			[]string{`{}`, `{"again":true}`, `{"give":1}`}, []string{"accept, once true", "", ""}},
		{"a look", []string{`{"command":{"kind":"reads","does":"names"}}`, `{"answer":{"value":"1"}}`, `{"answer":{"value":"2"}}`,
			`{"names":[[{"by":"role","role":"status"}]]}`}, []string{`{}`, `{"again":true}`, `{"look":true}`, `{"give":1}`},
			[]string{"names, once false", "1", "2", "[[{role  \"\" status  }]]"}},
		{"a suite that goes", []string{`{"command":{"kind":"reads","does":"text"}}`}, []string{`{}`}, []string{"text, once false", "gone"}},
		{"a browser", []string{`{"starts":"127.0.0.1:1"}`}, []string{`{"browser":3}`}, []string{"starts 127.0.0.1:1"}},
		{"one that cannot be watched", []string{`{"starts":""}`}, []string{`{"browser":3}`}, []string{"starts "}},
		{"a page", []string{`{"opens":3}`}, []string{`{}`}, []string{"opens 3"}},
		{"an end", []string{`{"ends":3}`}, []string{`{}`}, []string{"ends 3"}},
		{"no command", []string{`{"command":{"kind":"neither"}}`}, nil, nil},
		{"no JSON", []string{`hello`}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &asks{times: 2}
			ctx, cancel := context.WithCancel(t.Context())
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- Serve(ctx, ln, a) }()
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(conn)
			var told []string
			for i, line := range tt.says {
				fmt.Fprintln(conn, line)
				if i == len(tt.says)-1 {
					break
				}
				text, _ := in.ReadString('\n')
				told = append(told, strings.TrimSpace(text))
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(in)
			told = append(told, strings.Fields(string(rest))...)
			if tt.name == "a suite that goes" { // nobody hears what it is told
				told = told[:1]
			}
			cancel()
			if err := <-served; err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.told, told); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.noted, a.said); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What listens ends with all conversations, also with those that hang.
func TestServeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	a := &asks{times: 1}
	go func() { served <- Serve(ctx, ln, a) }()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintln(conn, `{"command":{"kind":"reads","does":"text"}}`)
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil { // it is under way
		t.Fatal(err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"text, once false", "gone"}, a.said); diff != "" {
		t.Error(diff)
	}
}

// Whatever a suite says, nothing panics.
func FuzzConverse(f *testing.F) {
	f.Add([]byte(`{"command":{"kind":"reads"}}` + "\n" + `{"answer":{"value":"1"}}`))
	f.Add([]byte(`{"starts":"x"}`))
	f.Add([]byte(`{"opens":-1,"command":null}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		converse(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(text), io.Discard}, &asks{times: 3})
	})
}
