package replay

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
)

func TestPlayResetsFirst(t *testing.T) {
	var order []string
	addr := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		order = append(order, r.Method+" "+r.URL.Path)
	}))
	p := &tape{t: t, addr: addr}
	p.add("GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	play(t, &Player{Reset: service.Reset("http://" + addr + "/reset")}, p)
	if strings.Join(order, ", ") != "POST /reset, GET /a" {
		t.Errorf("order: %v", order)
	}
	order = nil
	_, err := (&Player{Reset: "exit 1"}).Play(context.Background(), p, &sink{})
	if err == nil || len(order) != 0 {
		t.Errorf("after a failed reset: %v, %v", err, order)
	}
}

// TestPassesBeginAsRecorded has a pass that began with a reset begin with one here too, and no other.
func TestPassesBeginAsRecorded(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var log []string
		var mu sync.Mutex
		note := func(what string) {
			mu.Lock()
			log = append(log, what)
			mu.Unlock()
		}
		addr := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { note(r.Method + r.URL.Path) }))
		p := &tape{t: t, addr: addr}
		for pass := 1; pass <= 4; pass++ {
			for range 2 {
				e := p.add(fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", pass), "")
				e.Pass, e.Response = pass, &exchange.Response{Status: 200}
			}
		}
		player := &Player{Reset: service.Reset("http://" + addr + "/reset"), Workers: workers, Restarts: func(pass int) bool { return pass != 3 }}
		play(t, player, p)
		want := []string{"POST/reset", "GET/1", "GET/1", "POST/reset", "GET/2", "GET/2", "GET/3", "GET/3", "POST/reset", "GET/4", "GET/4"}
		if diff := cmp.Diff(want, log); diff != "" {
			t.Errorf("%d workers (-want +got):\n%s", workers, diff)
		}
		log = nil
		player.Earlier = steps(p, []*exchange.Observation{{Seq: 1, Response: &exchange.Response{}}, {Seq: 2, Response: &exchange.Response{}},
			{Seq: 3, Response: &exchange.Response{}}})
		play(t, player, p)
		if diff := cmp.Diff([]string{"GET/2", "GET/3", "GET/3", "POST/reset", "GET/4", "GET/4"}, log); diff != "" {
			t.Errorf("%d workers, gone on (-want +got):\n%s", workers, diff)
		}
	}
}
