//go:build unix

package service

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// under starts this binary as an API under conditions, and returns what it sees.
func under(t *testing.T, conditions ...string) around {
	t.Helper()
	s := &Service{Command: self(t)}
	addAll(t, &s.Environment, conditions...)
	return look(t, started(t, s))
}

func addAll(t *testing.T, e *Environment, conditions ...string) {
	t.Helper()
	for _, c := range conditions {
		name, value, _ := strings.Cut(c, "=")
		if err := e.Add(name, value); err != nil {
			t.Fatal(err)
		}
	}
}

// says runs a command as a service that ends at once, and returns the last line that it wrote.
func says(t *testing.T, s *Service) string {
	t.Helper()
	s.Command += " # {port}" // which nobody listens at: its end is waited for
	_, err := s.Start(context.Background())
	if err == nil {
		t.Fatal("it starts")
	}
	_, said, _ := strings.Cut(err.Error(), "last output: ")
	return said
}

// What each condition promises is what a process sees, and nothing else changes.
func TestEnvironmentReachesAPI(t *testing.T) {
	usual := under(t)
	for _, tt := range []struct {
		conditions []string
		is         func(around) bool
	}{
		{nil, func(a around) bool {
			return a.Zone == usual.Zone && a.Temp == usual.Temp && a.User == usual.User && a.Lang == usual.Lang
		}},
		{[]string{"tz"}, func(a around) bool { return a.Zone == "+0545" && a.Lang == usual.Lang }},
		{[]string{"tz=Asia/Tokyo"}, func(a around) bool { return a.Zone == "JST" }},
		{[]string{"lang"}, func(a around) bool { return a.Lang == "de_DE.UTF-8" || a.Lang == "fr_FR.UTF-8" }},
		{[]string{"lang=ja_JP.UTF-8", "tz=Asia/Tokyo"}, func(a around) bool { return a.Lang == "ja_JP.UTF-8" && a.Zone == "JST" }},
		{[]string{"tmp"}, func(a around) bool {
			return a.Temp != usual.Temp && strings.Contains(a.Temp, "other-tmp") && a.Home == usual.Home
		}},
		{[]string{"user"}, func(a around) bool { return a.User == "flaketap" && a.Home != usual.Home && a.UID == usual.UID }},
		{[]string{"restart"}, func(a around) bool { return a.Zone == usual.Zone && a.Temp == usual.Temp }},
	} {
		t.Run(strings.Join(tt.conditions, " "), func(t *testing.T) {
			t.Parallel()
			if a := under(t, tt.conditions...); !tt.is(a) {
				t.Errorf("it sees %+v, where usual is %+v", a, usual)
			}
		})
	}
}

func TestEnvironmentFoldersGo(t *testing.T) {
	s := &Service{Command: self(t)}
	addAll(t, &s.Environment, "tmp", "user")
	i := started(t, s)
	a := look(t, i)
	for _, dir := range []string{a.Temp, a.Home} {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{a.Temp, a.Home} {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is left", dir)
		}
	}
}

func TestEnvironmentHostname(t *testing.T) {
	var e Environment
	if err := e.Add("hostname", "elsewhere"); err != nil {
		if !strings.Contains(err.Error(), "not possible here") {
			t.Error(err)
		}
		t.Skip(err)
	}
	own, _ := os.Hostname()
	if a := under(t, "hostname=elsewhere"); a.Host != "elsewhere" || a.UID != os.Getuid() {
		t.Errorf("it sees %+v", a)
	}
	if now, _ := os.Hostname(); now != own {
		t.Fatalf("this machine is called %s now, and was %s", now, own)
	}
}

// As root, a user that there is becomes the API's.
func TestEnvironmentOtherUser(t *testing.T) {
	nobody, err := user.Lookup("nobody")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("this takes root, and a user called nobody")
	}
	s := &Service{Command: "echo $(id -u) $USER $HOME; exit 1"}
	addAll(t, &s.Environment, "user=nobody")
	if got, want := says(t, s), nobody.Uid+" nobody "+nobody.HomeDir; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

func TestEnvironmentRefuses(t *testing.T) {
	for condition, want := range map[string]string{
		"tz=Mars/Olympus":                     "unknown time zone",
		"tmp=/no/such/folder":                 "the folder does not exist",
		"user=../x":                           "not a user name",
		"clock=soon":                          "not a time such as +1d",
		"clock=+1":                            "not a time such as +1d",
		"clock=0s":                            "not a time such as +1d",
		"clock=+999999d":                      "not a time such as +1d",
		"clock=midnight+3s":                   "before midnight the clock begins",
		"clock=midnight-":                     "before midnight the clock begins",
		"restart=now":                         "takes no value",
		"double":                              `unknown condition "double"`,
		"hostname=two words":                  "",
		"hostname=" + strings.Repeat("x", 65): "",
	} {
		var e Environment
		name, value, _ := strings.Cut(condition, "=")
		err := e.Add(name, value)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", condition, err, want)
		}
		if len(e.Names()) != 0 {
			t.Errorf("%s is among the names", condition)
		}
	}
}

// What is stored with a run says what the condition was.
func TestEnvironmentNames(t *testing.T) {
	var e Environment
	addAll(t, &e, "tz=Asia/Kathmandu", "lang=fr_FR.UTF-8", "tmp", "clock", "restart")
	if got := strings.Join(e.Names(), " "); got != "tz=Asia/Kathmandu lang=fr_FR.UTF-8 tmp clock=+25h restart" || !e.Restart() {
		t.Errorf("the names are %s", got)
	}
}

func TestClockOffset(t *testing.T) {
	now := time.Date(2026, 3, 28, 15, 4, 5, 6e8, time.UTC)
	for value, want := range map[string]time.Duration{
		"clock":              25 * time.Hour,
		"clock=+1d":          24 * time.Hour,
		"clock=-1.5d":        -36 * time.Hour,
		"clock=-90m":         -90 * time.Minute,
		"clock=midnight":     8*time.Hour + 55*time.Minute + 54*time.Second - 10*time.Second,
		"clock=midnight-30s": 8*time.Hour + 55*time.Minute + 54*time.Second - 30*time.Second,
	} {
		var e Environment
		addAll(t, &e, value)
		if got := e.clock.offset(now, time.UTC); got.Round(2*time.Second) != want.Round(2*time.Second) {
			t.Errorf("%s: got %v, want %v", value, got, want)
		}
	}
	var e Environment
	addAll(t, &e, "tz=Asia/Tokyo", "clock=midnight")
	tokyo := now.Add(e.clock.offset(now, e.zone())).In(e.zone())
	if tokyo.Hour() != 23 || tokyo.Minute() != 59 || tokyo.Second() < 49 {
		t.Errorf("midnight in Tokyo is after %s", tokyo)
	}
}

// An API with a dial of its own gets the offset for it.
func TestClockDial(t *testing.T) {
	s := &Service{Command: "echo at {clock} ${clock}; exit 1"}
	if got := says(t, s); got != "at 0s" {
		t.Errorf("usually it says %q", got)
	}
	addAll(t, &s.Environment, "clock=-2h")
	if got := says(t, s); got != "at -7200s" {
		t.Errorf("it says %q", got)
	}
}

// faketime finds libfaketime, or skips the test.
func faketime(t *testing.T) string {
	t.Helper()
	e := Environment{FakeTime: os.Getenv("FLAKETAP_LIBFAKETIME")}
	lib, err := e.library()
	needs.Optional(t, fmt.Sprintf("libfaketime (%v)", err), err == nil)
	return lib
}

func TestClockByLibrary(t *testing.T) {
	lib := faketime(t)
	for condition, want := range map[string]time.Duration{"clock=+1d": 24 * time.Hour, "clock=-3h": -3 * time.Hour} {
		s := &Service{Command: "date +%s; exit 1", Environment: Environment{FakeTime: lib}}
		addAll(t, &s.Environment, condition)
		seconds, err := strconv.ParseInt(says(t, s), 10, 64)
		if off := time.Until(time.Unix(seconds, 0)) - want; err != nil || off.Abs() > 10*time.Second {
			t.Errorf("%s: it is off by %v, %v", condition, off, err)
		}
	}
	s := &Service{Command: "date +%H:%M; exit 1", Environment: Environment{FakeTime: lib}}
	addAll(t, &s.Environment, "tz=Asia/Tokyo", "clock=midnight-50s")
	if got := says(t, s); got != "23:59" {
		t.Errorf("before midnight it is %s", got)
	}
	reached := &Service{Command: "exec sleep 1000", Environment: Environment{FakeTime: lib}}
	addAll(t, &reached.Environment, "clock")
	started(t, reached)
}

// A program that the library cannot reach is named, rather than taken for one whose answers do not depend on the clock.
func TestClockThatDoesNotReach(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is told on Linux only")
	}
	none := filepath.Join(t.TempDir(), "libfaketime.so.1")
	s := &Service{Command: "exec sleep 1000", Environment: Environment{FakeTime: none}}
	addAll(t, &s.Environment, "clock")
	fails(t, s, `start the API: clock: \S+ still has the machine's time: it has not loaded libfaketime; put \{clock\} into the command`)
	s = &Service{Command: self(t), Environment: Environment{FakeTime: none}}
	addAll(t, &s.Environment, "clock")
	fails(t, s, `clock: \S+ still has the machine's time: it is written in Go`)
}

// An API that somebody else wrote, in Python, passes midnight while it runs.
func TestClockPassesMidnight(t *testing.T) {
	lib := faketime(t)
	needs.Program(t, "python3")
	s := &Service{Command: "exec python3 -m http.server --bind 127.0.0.1 {port}", Ready: "http://127.0.0.1:{port}/", Environment: Environment{FakeTime: lib}}
	addAll(t, &s.Environment, "tz=Etc/UTC", "clock=midnight-5s")
	i := started(t, s)
	first := tells(t, i)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	if tomorrow := today.Add(24 * time.Hour); first.Before(tomorrow.Add(-6*time.Second)) || first.After(tomorrow.Add(time.Minute)) {
		t.Fatalf("at first it is %s", first)
	}
	for now := first; now.Day() == today.Day(); now = tells(t, i) { // its clock is all there is to wait for
		if now.Sub(first) > time.Minute {
			t.Fatalf("it is %s", now)
		}
	}
}

// tells asks an API for its time, by the header Date.
func tells(t *testing.T, i *Instance) time.Time {
	t.Helper()
	resp, err := http.Get(i.Target().String())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	return at
}
