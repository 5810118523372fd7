package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
)

// What is scraped has the text format of Prometheus, labels included, and an error is none of its numbers.
func TestServeMetrics(t *testing.T) {
	ln, err := ListenForMetrics("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var fail error
	var said strings.Builder
	s := ServeMetrics(ln, &console.Console{Err: &said}, func(context.Context) ([]Metric, error) {
		return []Metric{CounterOf("a_total", "How many.", 7),
			{"b", Gauge, "Which.", []Value{{"nightly", 1}, {`odd"name\`, 2}}}}, fail
	})
	defer s.Close()
	get := func() (int, string) {
		resp, err := http.Get("http://" + s.Addr().String() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	const want = "# HELP flaketap_a_total How many.\n# TYPE flaketap_a_total counter\nflaketap_a_total 7\n" +
		"# HELP flaketap_b Which.\n# TYPE flaketap_b gauge\nflaketap_b{name=\"nightly\"} 1\nflaketap_b{name=\"odd\\\"name\\\\\"} 2\n"
	if status, text := get(); status != 200 || text != want {
		t.Errorf("%d:\n%s\nwant\n%s", status, text, want)
	}
	fail = errors.New("the hub is\naway")
	if status, text := get(); status != 503 || text != "flaketap: the hub is; away\n" {
		t.Errorf("%d: %q", status, text)
	}
	if !strings.Contains(said.String(), "metrics are at http://"+s.Addr().String()+"/metrics") {
		t.Errorf("it says %q", &said)
	}
}
