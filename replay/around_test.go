package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestAgain checks that a row of answers reaches the sink, and that the summary counts the first of each row.
func TestAgain(t *testing.T) {
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			if _, err := readHead(r); err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	p := &tape{t: t, addr: addr}
	for range 3 {
		p.add("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	}
	sum, observations := play(t, &Player{Around: []Around{Again(func(e *exchange.Exchange) int { return int(e.Seq) - 1 })}}, p)
	var seqs []uint64
	for _, o := range observations {
		seqs = append(seqs, o.Seq)
	}
	if got := fmt.Sprint(seqs); got != "[1 2 2 3 3 3]" || sum.Sent != 3 || sum.Repeated != 3 {
		t.Errorf("answers of exchanges %s; %s", got, sum)
	}
	if !strings.Contains(sum.String(), "3 sent again") {
		t.Errorf("summary %q", sum)
	}
}

// TestTwiceEnds: where one of two requests fails before it is ready to be sent, the other does not wait for it.
func TestTwiceEnds(t *testing.T) {
	addr := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	p := &tape{t: t, addr: addr}
	p.add("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	broken, tried := errors.New("broken"), atomic.Int32{}
	once := Waiting(func(context.Context, *exchange.Exchange) error {
		if tried.Add(1) == 1 {
			return nil
		}
		return broken
	})
	twice := Twice(func(*exchange.Exchange) bool { return true })
	if _, err := (&Player{Around: []Around{twice, once}}).Play(t.Context(), p, discard{}); !errors.Is(err, broken) {
		t.Errorf("ended with %v", err)
	}
}
