package trial

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// counter is an API that makes things with ids that no reset gives again.
type counter struct {
	next   int
	there  map[string]bool
	resets int
	clock  *Clock
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/reset" && c.resets == 3:
		http.Error(w, "no more", http.StatusInternalServerError)
	case r.URL.Path == "/reset":
		c.resets++
		c.there = map[string]bool{}
	case r.Method == http.MethodPost:
		sent, _ := io.ReadAll(r.Body)
		c.next++
		id := fmt.Sprintf("thing-%08x", c.next*2654435761)
		c.there[id] = true
		fmt.Fprintf(w, `{"id":%q,"sent":%q,"host":%q,"at":%q}`, id, sent, r.Host, c.clock.Read().Format(time.RFC3339Nano))
	case !c.there[strings.TrimPrefix(r.URL.Path, "/things/")]:
		http.NotFound(w, r)
	}
}

func counterSubject() (*Subject, *counter) {
	clock := NewClock(time.Date(2026, 1, 29, 5, 15, 9, 0, time.UTC), 1)
	c := &counter{there: map[string]bool{}, clock: clock}
	drive := func(ctx context.Context, baseURL string, transport http.RoundTripper, pause func(context.Context, time.Duration) error) error {
		client := http.Client{Transport: transport}
		res, err := client.Post(baseURL+"/things", "text/plain", strings.NewReader("a lamp"))
		if err != nil {
			return err
		}
		var id string
		if _, err := fmt.Fscanf(res.Body, `{"id":%q`, &id); err != nil {
			return err
		}
		if err := pause(ctx, time.Minute); err != nil {
			return err
		}
		_, err = client.Get(baseURL + "/things/" + id)
		return err
	}
	return &Subject{Handler: c, Drive: drive, Reset: "/reset", Clock: clock, Listen: "127.0.0.1:8877", Port: 40311}, c
}

// TestPlay proves that a session is what a recorder and a replay would have stored: the bytes of the messages, ids that are
// carried over, the times.
func TestPlay(t *testing.T) {
	subject, api := counterSubject()
	s, err := Play(t.Context(), subject, 2)
	if err != nil {
		t.Fatal(err)
	}
	if api.resets != 2 || len(s.Steps) != 2 || len(s.Runs) != 2 || s.Recording.Count != 2 {
		t.Fatalf("%d resets, %d steps, %d runs, %d exchanges", api.resets, len(s.Steps), len(s.Runs), s.Recording.Count)
	}
	first, second := s.Steps[0].Exchange, s.Steps[1].Exchange
	want := "POST /things HTTP/1.1\r\nHost: 127.0.0.1:8877\r\nContent-Length: 6\r\nContent-Type: text/plain\r\n\r\na lamp"
	if diff := cmp.Diff(want, string(first.Request.Head)+string(first.Request.Body)); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	head := string(first.Response.Head)
	if !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || !strings.Contains(head, "\r\nDate: Thu, 29 Jan 2026 05:15:09 GMT\r\n") {
		t.Errorf("response: %q", head)
	}
	if first.Addr != "127.0.0.1:40311" || first.Latency <= 0 || second.Start.Sub(first.Start) < time.Minute {
		t.Errorf("addr %s, latency %v, %v apart", first.Addr, first.Latency, second.Start.Sub(first.Start))
	}
	last := second.Start
	for i, o := range s.Steps[1].Observations {
		if o.Run != i+1 || o.Response.Status != 200 || o.Sent.Target == second.Request.Target || o.Start.Sub(last) <= 0 {
			t.Errorf("run %d: %s answered %d at %v", o.Run, o.Sent.Target, o.Response.Status, o.Start)
		}
		last = o.Start
	}
}

// TestPlayFails proves that what goes wrong is said.
func TestPlayFails(t *testing.T) {
	subject, _ := counterSubject()
	if _, err := Play(t.Context(), subject, 4); err == nil || !strings.Contains(err.Error(), "run 4: reset: 500") {
		t.Errorf("a refused reset: %v", err)
	}
	subject, _ = counterSubject()
	subject.Drive = func(context.Context, string, http.RoundTripper, func(context.Context, time.Duration) error) error {
		return io.ErrUnexpectedEOF
	}
	if _, err := Play(t.Context(), subject, 1); err == nil || !strings.Contains(err.Error(), "record: unexpected EOF") {
		t.Errorf("a client that fails: %v", err)
	}
	subject, _ = counterSubject()
	s, err := Play(t.Context(), subject, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Judge(2); err == nil {
		t.Error("two runs of one were judged")
	}
}
