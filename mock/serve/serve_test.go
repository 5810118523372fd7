//go:build unix

package serve

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

// An API that ends while a client runs is told of, with its last words, also where the client takes no notice; one that
// runs until the end is not, and nor is what an API did that never was ready.
func TestRunTellsHowTheAPIEnds(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	for _, tt := range []struct {
		api, client string
		status      int
		says, fails string
	}{
		{"mkfifo TOLD; read x <TOLD; echo out of memory; exit 7", "until test -p TOLD; do :; done; echo >TOLD; exit 3", 3,
			"flaketap: the API ended with exit status 7 while the client ran; its last output: out of memory\n", ""},
		{"exec sleep 1000", "exit 3", 3, "", ""},
		{"exec sleep 1000", "exit 0", 0, "", ""},
		{"exit 7; # {port}", "exit 0", 0, "", "it ended with exit status 7 before it was ready"},
	} {
		var said strings.Builder
		api := strings.ReplaceAll(tt.api, "TOLD", told)
		o := Options{Externals: Externals{Intercept: "env"}, Service: &service.Service{Command: api},
			Command: []string{"sh", "-c", strings.ReplaceAll(tt.client, "TOLD", told)}, Console: &console.Console{Err: &said}}
		status, seen, err := Run(t.Context(), o)
		if status != tt.status || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: status %d, %v; want %d, %q", tt.api, status, err, tt.status, tt.fails)
		}
		if _, rest, _ := strings.Cut(said.String(), "external services\n"); rest != tt.says {
			t.Errorf("%s: it says %q, want %q", tt.api, rest, tt.says)
		}
		if begun := seen.Flaketap != ""; begun != (tt.fails == "") {
			t.Errorf("%s: there is a report: %t", tt.api, begun)
		}
	}
}

// The log of a run that tells everything has what the API logs, without secrets; that of others has not.
func TestRunTellsWhatTheAPILogs(t *testing.T) {
	for level, want := range map[slog.Level]bool{slog.LevelDebug: true, slog.LevelInfo: false} {
		told := filepath.Join(t.TempDir(), "told")
		var said strings.Builder
		log := slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: level}))
		o := Options{Externals: Externals{Intercept: "env", Log: log}, Command: []string{"sh", "-c", "until test -e " + told + "; do :; done"},
			Service: &service.Service{Command: "echo it begins; echo '{\"password\": \"hunter2hunter2\"}' >&2; >" + told + "; exec sleep 1000"}}
		if _, _, err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{`line="it begins"`, "password"} {
			if strings.Contains(said.String(), text) != want {
				t.Errorf("%s: it says\n%s", level, said.String())
			}
		}
		if strings.Contains(said.String(), "hunter2") {
			t.Errorf("%s: it tells a secret:\n%s", level, said.String())
		}
	}
}
