package hub_test

import (
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/capture/endpoint"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/replay/queue"
)

// A hub tells Prometheus what stands there, by name, and whom it refused.
func TestMetrics(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	for _, name := range []string{"a", "b"} {
		db := recording(t, name)
		record(t, db, 3, "{}")
		ending(t, db)
		send(t, db, dial(t, s.Address()+"/"+name, dir), name)
	}
	behind := dial(t, s.Address()+"/b", dir)
	if err := behind.Report(t.Context(), ship.Report{Recorder: "abc", Recorded: 12, Trouble: "it is full"}); err != nil {
		t.Fatal(err)
	}
	working := dial(t, s.Address()+"/a", dir)
	if err := working.Crew().Tell(t.Context(), queue.Presence{ID: "W1"}); err != nil {
		t.Fatal(err)
	}
	if err := working.Work().Offer(t.Context(), queue.Ticket{Plan: "plan", Run: 1}); err != nil {
		t.Fatal(err)
	}
	if err := working.Work().Put(t.Context(), "plan.job", []byte("job")); err != nil {
		t.Fatal(err)
	}
	stranger := t.TempDir()
	if _, err := server.Credential(filepath.Join(stranger, server.CredentialFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := dial(t, s.Address()+"/a", stranger).Terms(t.Context()); err == nil {
		t.Error("a stranger is let in")
	}
	if _, err := dial(t, s.Address()+"/never", dir).Terms(t.Context()); err == nil {
		t.Error("a name that nobody sent to has terms")
	}

	l, err := hub.Dial(s.Address(), hub.Options{Credential: filepath.Join(dir, server.CredentialFile), Within: s})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	all, err := hub.Metrics(l, s.Refused)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]endpoint.Value{}
	for _, m := range all {
		got[m.Name] = m.Values
	}
	for _, name := range []string{"hub_bytes", "hub_limit_bytes", "hub_refused_requests_total"} {
		if len(got[name]) != 1 || got[name][0].N == 0 {
			t.Errorf("%s is %v", name, got[name])
		}
		delete(got, name)
	}
	if bytes := got["hub_name_bytes"]; len(bytes) != 2 || bytes[0].N == 0 || bytes[1].N == 0 {
		t.Errorf("hub_name_bytes is %v", bytes)
	}
	delete(got, "hub_name_bytes")
	want := map[string][]endpoint.Value{
		"hub_streams": {{N: 2}}, "hub_stuck": {{N: 1}}, "hub_refused_clients_total": {{N: 1}},
		"hub_recorders":     {{Of: "a", N: 1}, {Of: "b", N: 2}},
		"hub_exchanges":     {{Of: "a", N: 3}, {Of: "b", N: 3}},
		"hub_workers":       {{Of: "a", N: 1}},
		"hub_open_items":    {{Of: "a", N: 1}},
		"hub_lag_exchanges": {{Of: "a", N: 0}, {Of: "b", N: 12}},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
