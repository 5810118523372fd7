package serve

import (
	"bytes"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/search"
)

// Who searches is told which requests were not searched, and what to do.
func TestUnsteadyRequestsAreTold(t *testing.T) {
	var out bytes.Buffer
	found := search.Result{Unsteady: []search.Request{{Method: "GET", Target: "/quote?token=4f9d2c71a8"}}}
	if err := WriteFound(t.TempDir(), found, 1, &console.Console{Err: &out}); err != nil {
		t.Fatal(err)
	}
	first, last, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(first, "flaketap: GET /quote is not searched: ") || !strings.Contains(first, "--patience") || !strings.HasPrefix(last, "flaketap: 0 behaviors found") {
		t.Error(out.String())
	}
}
