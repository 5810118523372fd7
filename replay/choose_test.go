package replay

import (
	"bufio"
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// TestChosen: what Skip names is not sent, which Destination tells before; what waits is asked for each request that is; a
// Date of the recorded moment is one of now.
func TestChosen(t *testing.T) {
	addr := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			if _, err := readHead(r); err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	p := &tape{t: t, addr: addr}
	recorded := time.Date(2026, 1, 29, 5, 15, 9, 0, time.UTC)
	for _, method := range []string{"GET", "DELETE", "PUT"} {
		e := p.add(method+" / HTTP/1.1\r\nHost: a\r\nDate: Thu, 29 Jan 2026 05:15:09 GMT\r\n\r\n", "")
		e.Response, e.Start = &exchange.Response{Status: 200}, recorded
	}
	var before []uint64
	player := &Player{
		Skip: func(e *exchange.Exchange) string {
			if e.Request.Method == "DELETE" {
				return "it deletes"
			}
			return ""
		},
		Around: []Around{Waiting(func(_ context.Context, e *exchange.Exchange) error {
			before = append(before, e.Seq)
			return nil
		})},
	}
	if to, skip := player.Destination(p.list[1]); to != "http://"+addr || skip != "it deletes" {
		t.Errorf("destination %s, skip %q", to, skip)
	}
	begun := time.Now().Add(-time.Second)
	sum, observations := play(t, player, p)
	if sum.Sent != 2 || sum.Reasons["it deletes"] != 1 || !slices.Equal(before, []uint64{1, 3}) {
		t.Errorf("%s; before %v", sum, before)
	}
	for _, o := range observations {
		date, err := time.Parse(time.RFC1123, o.Sent.Header.Get("Date"))
		if err != nil || date.Before(begun) {
			t.Errorf("Date %q, %v", o.Sent.Header.Get("Date"), err)
		}
	}
}
