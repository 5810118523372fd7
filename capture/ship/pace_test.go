package ship

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/exchange"
)

// slow is a hub that takes its time for each block, and hears of it.
type slow struct {
	takes   time.Duration
	mark    Mark
	reports []Report
	deaf    error // what reports fail with
}

func (h *slow) Agree(context.Context, Terms) error          { return nil }
func (h *slow) Known(context.Context, string) (Mark, error) { return h.mark, nil }
func (h *slow) Keep(context.Context, string, []byte) error  { return nil }
func (h *slow) Report(_ context.Context, r Report) error {
	h.reports = append(h.reports, r)
	return h.deaf
}
func (h *slow) Append(ctx context.Context, _ string, _, next Mark, _ []byte) (Mark, error) {
	select {
	case <-ctx.Done():
		return h.mark, ctx.Err()
	case <-time.After(h.takes):
	}
	next.Position = h.mark.Position + 1
	h.mark = next
	return next, nil
}

// backlog is a file with many exchanges.
type backlog int

func (backlog) Path() string { return "flaketap.db" }

func (n backlog) Recording() (exchange.Recording, error) {
	return exchange.Recording{Key: []byte("k"), Count: uint64(n), Passes: []exchange.Pass{{Number: 1}}}, nil
}

func (n backlog) After(seq uint64) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for seq++; seq <= uint64(n); seq++ {
			e := &exchange.Exchange{Seq: seq, Pass: 1}
			e.Request = exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /%d HTTP/1.1\r\n\r\n", seq)})
			e.Response = exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 204 No Content\r\n\r\n")})
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A shipper rests between blocks while its recorder records, not when that has ended: a hub that takes a block in five
// seconds takes ten of them in less than a minute. While it works on what is left, the hub hears of it.
func TestEndDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &slow{takes: 5 * time.Second}
		s, err := Start(backlog(10*block.MaxRecords), h, Options{Machine: "m"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // it rests after the first block
		began := time.Now()
		if err := s.Finish(t.Context(), 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the rest took %s", took)
		}
		if n := len(h.reports); n < 5 || !h.reports[n-1].Done || h.reports[n-2].Done {
			t.Errorf("it reported %+v", h.reports)
		}
	})
}

// A hub that takes no reports is not asked to more often than one that does.
func TestReportsKeepTheirPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &slow{deaf: errors.New("it is away")}
		s, err := Start(backlog(1), h, Options{Machine: "m"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := s.Finish(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if n, most := len(h.reports), int(time.Minute/reportEvery)+2; n < 2 || n > most {
			t.Errorf("it was given %d reports within a minute, want %d at most", n, most)
		}
	})
}

// A hub that takes nothing and says nothing is waited for as long as patience, and told as that.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Start(backlog(1), &slow{takes: time.Hour}, Options{Machine: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Finish(t.Context(), 10*time.Second); err == nil || err.Error() != "the hub took nothing for 10s" {
			t.Errorf("got %v", err)
		}
	})
}
