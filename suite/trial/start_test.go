//go:build unix

package trial

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv("FLAKETAP_TEST_API"); addr != "" {
		serveMonth(addr, os.Getenv("FLAKETAP_TEST_CLOCK"))
	}
	os.Exit(m.Run())
}

// serveMonth is an API of a process of its own: it counts what it is asked, and tells the month.
func serveMonth(addr, clock string) {
	ahead, err := time.ParseDuration(clock)
	if err != nil {
		panic(err)
	}
	count := 0
	http.HandleFunc("/ready", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/gone", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	http.HandleFunc("/n", func(w http.ResponseWriter, _ *http.Request) {
		count++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"count":%d,"month":%q,"name":"Ada"}`, count, time.Now().Add(ahead).Month())
	})
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		panic(err)
	}
	panic(http.Serve(ln, nil))
}

func monthAPI(clock string) *service.Service {
	return &service.Service{Command: "FLAKETAP_TEST_API=127.0.0.1:{port} FLAKETAP_TEST_CLOCK=" + clock + " exec '" + os.Args[0] + "'",
		Ready: "http://127.0.0.1:{port}/ready"}
}

// An API that is started for the trials has another month in one of them: what follows it is not asserted, though no
// run has seen it move.
func TestPlanStarts(t *testing.T) {
	src := source("GET", "/n", "", "", fmt.Sprintf(`{"count":1,"month":%q,"name":"Ada"}`, time.Now().Month()))
	for _, clock := range []string{"{clock}", "0s"} {
		result, err := Plan(context.Background(), src, build.Options{Mode: suite.Relax}, API{Service: monthAPI(clock), FakeTime: "/none"})
		text := asserted(t, result.Plan, err)
		if moved := clock != "0s"; strings.Contains(text, time.Now().Month().String()) == moved || (result.Clock == nil) != moved {
			t.Errorf("clock %s: %v\n%s", clock, result.Clock, text)
		}
		if !strings.Contains(text, "Ada") || !strings.Contains(text, `"count": 1`) {
			t.Errorf("the name is to be asserted, and the count, which is the same after each start:\n%s", text)
		}
	}
}

// An API that ends under its tests is told as that, one that cannot start too.
func TestPlanStartsInVain(t *testing.T) {
	_, err := Plan(context.Background(), source("GET", "/gone", "", "", `{}`), build.Options{Mode: suite.Relax}, API{Service: monthAPI("0s")})
	if err == nil || !strings.Contains(err.Error(), "the API ended with exit status 3 while its tests were tried") {
		t.Errorf("an API that ends gives %v", err)
	}
	_, err = Plan(context.Background(), source("GET", "/n", "", "", `{}`), build.Options{Mode: suite.Relax}, API{Service: &service.Service{Command: "exit 4; {port}"}})
	if err == nil || !strings.Contains(err.Error(), "start the API") {
		t.Errorf("an API that does not start gives %v", err)
	}
}
