package trial

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
)

// What is left of a session is the same again and again for a quick client, and not asserted, since a slow one is told
// another number.
func TestSlowClient(t *testing.T) {
	var begin atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			begin.Store(time.Now().UnixNano())
		}
		w.Header().Set("Content-Type", "application/json")
		left := (time.Hour - time.Since(time.Unix(0, begin.Load()))) / (maxPause / 2)
		fmt.Fprintf(w, `{"left":%d,"of":"login"}`, left)
	}))
	t.Cleanup(server.Close)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	first := fmt.Sprint(int64(time.Hour/(maxPause/2)) - 1)
	src := source("POST", "/login", "", "", `{"left":`+first+`,"of":"login"}`)
	read := source("GET", "/left", "", "", `{"left":`+first+`,"of":"login"}`).Steps[0]
	read.Exchange.Seq = 2
	src.Steps = append(src.Steps, read)
	src.Operations[2] = exchange.Operation{Method: "GET", Template: "/left"}
	src.Sequences[0].Steps = []uint64{1, 2}
	result, err := Plan(context.Background(), src, build.Options{Mode: suite.Relax},
		API{Target: target, Reset: service.Reset(server.URL + "/reset")})
	text := asserted(t, result.Plan, err)
	_, text, _ = strings.Cut(text, "# GET /left")
	if strings.Contains(text, first) || !strings.Contains(text, `"of": "login"`) {
		t.Errorf("what is asserted of the read:\n%s", text)
	}
}
