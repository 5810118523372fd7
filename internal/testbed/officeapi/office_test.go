package officeapi

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/proving"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// ask asks the office once, and shows what it answers.
func ask(t *testing.T, office http.Handler) []truth.Seen {
	t.Helper()
	w := httptest.NewRecorder()
	office.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/office", nil))
	return []truth.Seen{{Method: http.MethodGet, Path: "/office", Template: "/office", Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}}
}

// Each label holds while the service tells other rates, and each place has one; without the service the office says so.
func TestTruth(t *testing.T) {
	labels, err := LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range labels.Validate() {
		t.Error(wrong)
	}
	rates := httptest.NewServer(Rates())
	defer rates.Close()
	office := New(rates.URL)
	p := proving.Begin(t, &labels, ask(t, office))
	for range 3 {
		proving.Hold(t, p, ask(t, office))
	}
	for _, wrong := range p.Check() {
		t.Error(wrong)
	}
	rates.Close()
	if seen := ask(t, office)[0]; seen.Status != http.StatusBadGateway {
		t.Errorf("without rates it answers %d %s", seen.Status, seen.Body)
	}
}
