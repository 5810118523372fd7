package serve

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/flaketap/flaketap/mock/search"
)

// An API that answers behind the patience of a search hangs; one that is waited for longer has answered, and it is known
// after what time.
func TestAskWaits(t *testing.T) {
	const after = 300 * time.Millisecond
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(after):
			w.WriteHeader(http.StatusGatewayTimeout)
		case <-r.Context().Done():
		}
	}))
	defer api.Close()
	at, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	for wait, want := range map[time.Duration]search.Outcome{after / 6: {End: search.Hung}, time.Minute: {Status: 504}} {
		asked, err := ask(t.Context(), at, search.Request{Method: "GET", Target: "/"}, wait)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome(asked); got.End != want.End || got.Status != want.Status || asked.Latency < min(wait, after) || asked.Latency > wait+time.Minute {
			t.Errorf("waited for %s: %q, %d after %s", wait, got.End, got.Status, asked.Latency)
		}
	}
}
