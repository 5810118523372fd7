package wander

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Walker sends the steps of walks.
type Walker struct {
	Client *http.Client
	Base   string
}

// Run is one more run of some steps of a walk.
type Run struct {
	Answers map[int]*exchange.Response
	// Now are values of the walk that are others in this run: what an assertion on such a value is to be held against.
	Now map[string]string
}

// Again sends some steps of a walk, in order, with the values that earlier answers of this run have. What was given by
// steps that are not among them is as it was.
func (w *Walker) Again(steps []Step, some []int) (Run, error) {
	run := Run{Answers: map[int]*exchange.Response{}, Now: map[string]string{}}
	bodies := map[int][]byte{}
	for _, i := range slices.Sorted(slices.Values(some)) {
		now := func(p Piece) string {
			if body, sent := bodies[p.From]; sent {
				if value, ok := pointed(body, p.At); ok {
					if value != p.Text {
						run.Now[p.Text] = value
					}
					return value
				}
			}
			return p.Text
		}
		s := &steps[i]
		r, err := w.request(s, now)
		if err != nil {
			return run, err
		}
		if run.Answers[i], bodies[i], err = w.answered(r); err != nil {
			return run, err
		}
	}
	return run, nil
}

func (w *Walker) answered(r *http.Request) (*exchange.Response, []byte, error) {
	resp, err := w.Client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d X\r\nContent-Length: %d\r\n", resp.StatusCode, len(body))
	if kind := resp.Header.Get("Content-Type"); kind != "" {
		fmt.Fprintf(&head, "Content-Type: %s\r\n", kind)
	}
	head.WriteString("\r\n")
	return exchange.ParseResponse(exchange.Message{Head: head.Bytes(), Body: body}), body, nil
}

// send sends a step, and returns what it was answered.
func (w *Walker) send(s *Step, now func(Piece) string) (int, []byte, error) {
	r, err := w.request(s, now)
	if err != nil {
		return 0, nil, err
	}
	answer, body, err := w.answered(r)
	if err != nil {
		return 0, nil, err
	}
	return answer.Status, body, nil
}

func (w *Walker) request(s *Step, now func(Piece) string) (*http.Request, error) {
	text := func(pieces []Piece) string {
		var b strings.Builder
		for _, p := range pieces {
			if now != nil && p.From >= 0 {
				b.WriteString(now(p))
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	body := text(s.Body)
	var sent io.Reader
	if body != "" {
		sent = strings.NewReader(body)
	}
	r, err := http.NewRequest(s.Method, w.Base+text(s.Path), sent)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "*/*")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token := text(s.Token); token != "" {
		r.Header.Set("Authorization", token)
	}
	return r, nil
}

// pointed returns the scalar at a JSON Pointer of a body, as a text.
func pointed(body []byte, pointer string) (string, bool) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if pointer == "" || dec.Decode(&v) != nil {
		return "", false
	}
	for key := range strings.SplitSeq(pointer[1:], "/") {
		object, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		v = object[key]
	}
	switch v.(type) {
	case nil, map[string]any, []any:
		return "", false
	}
	return fmt.Sprint(v), true
}
