package service

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
)

func TestBaseURL(t *testing.T) {
	for text, want := range map[string]string{"http://h:1": "http://h:1", "https://h/": "https://h/"} {
		if u, err := BaseURL(text); err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
	for _, text := range []string{"h:1", "ftp://h", "http://", "http://h/path", "http://h?q", "http://ada:hunter2@h"} {
		if _, err := BaseURL(text); !console.IsUsage(err) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if u, err := BaseURL(""); u != nil || err != nil {
		t.Errorf("nothing gives %v, %v", u, err)
	}
}

func TestLocate(t *testing.T) {
	own := &Service{Command: "serve"}
	if got, err := own.Locate("", "http://h"); got != "" || err != nil || own.Addr != "h:80" {
		t.Errorf("an API with a port of its own is at %q, %v, and asked at %q", got, err, own.Addr)
	}
	if _, err := (&Service{Command: "serve"}).Locate("", ""); !console.IsUsage(err) {
		t.Errorf("nobody knows when it is ready: %v", err)
	}
	chosen := &Service{Command: "serve {port}"}
	got, err := chosen.Locate("", "")
	if err != nil || !strings.HasPrefix(got, "http://127.0.0.1:") {
		t.Fatalf("got %q, %v", got, err)
	}
	if again, err := (&Service{Command: "serve {port}"}).Locate("", got); again != got || err != nil { // the recorded port, which is free
		t.Errorf("got %q, %v, want %s", again, err, got)
	}
}

// An API is where it is asked for, and else where it was recorded.
func TestLocated(t *testing.T) {
	serves := &Service{Command: "serve"}
	for _, c := range []struct {
		by                    *Service
		asked, recorded, want string
	}{
		{nil, "http://a", "http://h", "http://a"}, {nil, "", "http://h", "http://h"},
		{nil, "", "", "nowhere"}, {nil, "a", "", "refused"},
		{serves, "http://a", "http://h", "http://a"}, {serves, "", "http://h", "http://h"}, {serves, "", "", "refused"},
	} {
		got := "nowhere"
		if at, err := Located(c.by, c.asked, c.recorded); err != nil {
			got = "refused"
		} else if at != nil {
			got = at.String()
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestRecordedTarget(t *testing.T) {
	passes := []exchange.Pass{{}, {Target: "/a=http://h:1"}, {Target: "http://h:2"}}
	if got := RecordedTarget(exchange.Recording{Passes: passes}); got != "http://h:2" {
		t.Errorf("got %q", got)
	}
	if got := RecordedTarget(exchange.Recording{Passes: passes[:2]}); got != "" {
		t.Errorf("got %q", got)
	}
}
