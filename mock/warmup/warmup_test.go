package warmup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
)

func asking(target string, services ...string) Request {
	return Request{Sent: search.Request{Method: "GET", Target: target, Header: map[string]string{"X": "1"}, Body: []byte("\xff{}")},
		Mappings: []byte(`{"mappings":[]}`), Status: 200, Services: services}
}

// All services are asked by as few requests as it takes, and by no more than some.
func TestChoose(t *testing.T) {
	targets := func(all []Request) (out []string) {
		for _, r := range all {
			out = append(out, r.Sent.Target)
		}
		return out
	}
	all := []Request{asking("/none"), asking("/a", "a"), asking("/bc", "b", "c"), asking("/abc", "a", "b", "c"), asking("/cd", "c", "d"), asking("/d", "d")}
	if got := targets(Choose(all)); !cmp.Equal(got, []string{"/abc", "/cd"}) {
		t.Errorf("chosen are %q", got)
	}
	var many []Request
	for _, s := range strings.Split("abcdefgh", "") {
		many = append(many, asking("/"+s, s))
	}
	if got := Choose(many); len(got) != Most {
		t.Errorf("%d are chosen", len(got))
	}
	if got := Choose([]Request{asking("/none")}); len(got) != 0 {
		t.Errorf("what asks nothing is chosen: %v", got)
	}
}

func TestServices(t *testing.T) {
	if got := Services([]mock.Asked{{Service: "b"}, {Service: "a"}, {Service: "b"}}); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("asked are %q", got)
	}
}

// What is written is read as it was; what is no warm-up is refused.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "warm-up.json")
	write := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []Request{asking("/a?b=1", "a")}
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	write(data)
	got, err := Read(path)
	for i := range got {
		got[i].Mappings = []byte(strings.Join(strings.Fields(string(got[i].Mappings)), ""))
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	tooMany, err := Encode(make([]Request, Most+1))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":       {"{", "is no warm-up file; suite --mocks writes one"},
		"another file":  {`{"flaketap": "mock-search"}`, "is no warm-up file; suite --mocks writes one"},
		"too many":      {string(tooMany), "has 6 requests, want 5 at most"},
		"wrong stubs":   {`{"flaketap": "warm-up", "requests": [{"mappings": {"mappings": [{"request": {"x": 1}}]}}]}`, `request 1: mapping 1: "x" is not served`},
		"without stubs": {`{"flaketap": "warm-up", "requests": [{}]}`, "request 1: "},
	} {
		write([]byte(c.text))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read warm-up: ") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil {
		t.Error("a file that is not there is read")
	}
}
