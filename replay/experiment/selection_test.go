package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

// TestSkipPatterns: a method alone, a path with parameters, a path with anything.
func TestSkipPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, method, target string
		want                    bool
	}{
		{"DELETE", "DELETE", "/a", true},
		{"DELETE", "delete", "/a", false},
		{"POST /orders/{id}", "POST", "/orders/7?x=1", true},
		{"POST /orders/{id}", "POST", "/orders/7/lines", false},
		{"POST /orders/{id}", "POST", "/orders/", false},
		{"POST /orders", "POST", "/orders/7", false},
		{"* /admin*", "GET", "/admin/users", true},
		{"* /admin*", "GET", "/x/admin", false},
		{"GET /a.b", "GET", "/aXb", false},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		e := &exchange.Exchange{Request: exchange.Request{Method: c.method, Target: c.target}}
		if got := p.matches(e); got != c.want {
			t.Errorf("%q for %s %s: %v", c.pattern, c.method, c.target, got)
		}
	}
	for _, bad := range []string{"", "get", "POST orders", "POST  /a", "/a"} {
		if _, err := parsePattern(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestAsk: each question is asked until it is answered, and an end of the input sends nothing.
func TestAsk(t *testing.T) {
	var questions []question
	for _, path := range []string{"/a", "/b", "/c"} {
		questions = append(questions, question{"http://h", exchange.Operation{Method: "POST", Template: path}})
	}
	for _, c := range []struct {
		typed, no string
		asked     int
		fails     bool
	}{
		{"y\nn\ny\n", "/b", 3, false},
		{"what\nyes\nNO\nall\n", "/b", 4, false},
		{"n\na\n", "/a", 2, false},
		{"y\nt\n", "/b/c", 2, false},
		{"y\nq\n", "", 2, true},
		{"y\n", "", 2, true},
	} {
		var said strings.Builder
		no, err := ask(t.Context(), strings.NewReader(c.typed), &said, questions, map[question]int{questions[0]: 3})
		got := ""
		for _, q := range no {
			got += q.Template
		}
		if (err != nil) != c.fails || err == nil && got != c.no || strings.Count(said.String(), "[q]uit: ") != c.asked {
			t.Errorf("%q: no to %q, %v; said %q", c.typed, got, err, said.String())
		}
		if !strings.HasPrefix(said.String(), "send POST /a to http://h, 3 requests per run? ") {
			t.Errorf("asked %q", said.String())
		}
	}
}

// TestAskInterrupted: nobody has to answer a question after Ctrl-C.
func TestAskInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typed := io.Pipe()
	defer typed.Close()
	said, asked := io.Pipe()
	go func() { // Ctrl-C comes once the question stands
		_, _ = io.ReadAtLeast(said, make([]byte, 200), 1)
		cancel()
		_, _ = io.Copy(io.Discard, said)
	}()
	_, err := ask(ctx, in, asked, []question{{"http://h", exchange.Operation{Method: "POST", Template: "/a"}}}, nil)
	if err == nil || err.Error() != "interrupted: nothing was sent" {
		t.Errorf("ended with %v", err)
	}
	_ = asked.Close()
}

// TestHold: requests that may change something are so far apart at least, whoever sends them; others do not wait.
func TestHold(t *testing.T) {
	s := Selection{every: 2 * time.Millisecond}
	hold := s.hold()
	begun := time.Now()
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for range 4 {
				if err := hold(t.Context(), &exchange.Exchange{Request: exchange.Request{Method: "POST"}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	if spent := time.Since(begun); spent < 11*s.every {
		t.Errorf("12 requests within %s", spent)
	}
	slow := (Selection{every: time.Hour}).hold()
	ctx, cancel := context.WithCancel(t.Context())
	unsafe := &exchange.Exchange{Request: exchange.Request{Method: "DELETE"}}
	if err := errors.Join(slow(ctx, unsafe), slow(ctx, &exchange.Exchange{Request: exchange.Request{Method: "GET"}})); err != nil {
		t.Error(err)
	}
	cancel()
	if err := slow(ctx, unsafe); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait: %v", err)
	}
	if (Selection{}).hold() != nil {
		t.Error("without a rate something waits")
	}
}

// TestUnitsJoin: what takes values from each other both ways becomes one, also through others; else who gives comes first.
func TestUnitsJoin(t *testing.T) {
	bind := func(pairs ...uint64) (out []exchange.Binding) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, exchange.Binding{Producer: exchange.Ref{Seq: pairs[i]}, Uses: []exchange.Ref{{Seq: pairs[i+1]}}})
		}
		return out
	}
	for _, c := range []struct {
		name     string
		steps    [][]uint64
		bindings []exchange.Binding
		want     string
		needs    string
	}{
		{"apart", [][]uint64{{3, 4}, {1, 2}}, bind(1, 2), "[[1 2] [3 4]]", "[[] []]"},
		{"one way", [][]uint64{{1, 2}, {3, 4}}, bind(1, 3, 2, 4), "[[1 2] [3 4]]", "[[] [0]]"},
		{"one way, interleaved", [][]uint64{{1, 3}, {2, 4}}, bind(1, 2), "[[1 3] [2 4]]", "[[] [0]]"},
		{"both ways", [][]uint64{{1, 3, 5}, {2, 4}, {6}}, bind(1, 2, 4, 5, 3, 6), "[[1 2 3 4 5] [6]]", "[[] [0]]"},
		{"in a round", [][]uint64{{1, 9}, {2, 5}, {3, 8}}, bind(1, 2, 5, 8, 8, 9), "[[1 2 3 5 8 9]]", "[[]]"},
		{"from who began later", [][]uint64{{1, 4}, {2}}, bind(2, 4), "[[1 2 4]]", "[[]]"},
	} {
		u := &units{steps: c.steps, of: make([]int32, 10)}
		u.join(c.bindings)
		if diff := cmp.Diff(c.want+" "+c.needs, fmt.Sprint(u.steps, " ", u.needs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
