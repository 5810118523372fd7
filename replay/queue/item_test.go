package queue

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

func FuzzDecode(f *testing.F) {
	request := exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")})
	response := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte("hi")})
	item := &Item{List: []*exchange.Exchange{{Seq: 3, Request: request, Response: response, Start: time.Unix(1, 0)}},
		Bindings: []exchange.Binding{{Name: "id", Value: "7", Producer: exchange.Ref{Seq: 3, Place: "/body/id"}}}}
	result := &Result{Attempt: 2, Unresolved: []string{"id"},
		Observations: []*exchange.Observation{{Seq: 3, Sent: request, Response: response, Start: time.Unix(1, 0)}}}
	for _, encode := range []func() ([]byte, error){item.encode, result.encode, (&Result{Failed: "no"}).encode} {
		b, err := encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if i, err := decodeItem(b); err == nil {
			again, err := i.encode()
			if err != nil {
				t.Fatal(err)
			}
			other, err := decodeItem(again)
			if err != nil || len(other.List) != len(i.List) || len(other.Bindings) != len(i.Bindings) {
				t.Errorf("an item comes back as another: %v", err)
			}
		}
		if r, err := decodeResult(b); err == nil {
			again, err := r.encode()
			if err != nil {
				t.Fatal(err)
			}
			other, err := decodeResult(again)
			if err != nil || len(other.Observations) != len(r.Observations) || other.Failed != r.Failed {
				t.Errorf("a result comes back as another: %v", err)
			}
		}
	})
}

func TestSealed(t *testing.T) {
	k, err := NewKey([]byte("a"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewKey([]byte("b"))
	if err != nil {
		t.Fatal(err)
	}
	sealed := k.seal("name", []byte("content"))
	if got, err := k.open("name", sealed); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1] ^= 1
	for what, open := range map[string]func() ([]byte, error){
		"another name": func() ([]byte, error) { return k.open("other", sealed) },
		"another key":  func() ([]byte, error) { return other.open("name", sealed) },
		"damage":       func() ([]byte, error) { return k.open("name", damaged) },
		"nothing":      func() ([]byte, error) { return k.open("name", nil) },
	} {
		if _, err := open(); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
