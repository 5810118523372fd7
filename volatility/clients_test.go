package volatility

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/confidence"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestPerClient: what is equal for each of some new clients and differs among them was drawn for each, and as often as
// there were runs, however many answers these had. What differs for one client too was not, nor what all new clients
// agree on.
func TestPerClient(t *testing.T) {
	const clients = 10
	m := judgeRows(t, 3, 1+clients*exchange.AsksOfClient, func(step, n int) (int, string) {
		client := (n - 2) / exchange.AsksOfClient // of the answers after the first
		fresh := n > 1
		return 200, fmt.Sprintf(`{"variant":%q,"node":%q,"menu":%q,"name":"a"}`, pick(fresh && client%3 > 0, "blue button", "green button"),
			pick(fresh && n%2 == 0, "the second", "the first"), pick(fresh, "log in", "log out"))
	}, exchange.FreshClients)
	for place, want := range map[exchange.Place]string{
		"/body/variant": "would-move Rand moved-only-by:client=fresh per-client",
		"/body/node":    "stable  ",
		"/body/menu":    "hint  moved-only-by:client=fresh",
		"/body/name":    "stable  ",
	} {
		f := field(t, m, place)
		if got := fmt.Sprintf("%s %s %s", f.Judgement, f.Category, strings.Join(f.Evidence, " ")); got != want {
			t.Errorf("%s is %q, want %q", place, got, want)
		}
	}
	ofRuns, ofAnswers := confidence.Bound(0, 3), confidence.Bound(0, 6)
	if f := field(t, m, "/body/variant"); f.Bound < ofRuns {
		t.Errorf("the bound of what is drawn for each client is %.3f, that of three runs is %.3f", f.Bound, ofRuns)
	}
	if f := field(t, m, "/body/name"); f.Bound > ofAnswers+0.001 {
		t.Errorf("the bound of what is not is %.3f, that of six answers is %.3f", f.Bound, ofAnswers)
	}
}

// A place that moved in runs as recorded is explained by its clients as well.
func TestPerClientInRuns(t *testing.T) {
	of := func(run int) func(step, n int) (int, string) {
		return func(_, n int) (int, string) {
			client := run
			if n > 1 {
				client = 100 + (n-2)/exchange.AsksOfClient
			}
			return 200, fmt.Sprintf(`{"variant":%q}`, pick(client%3 > 0, "blue button", "green button"))
		}
	}
	f := field(t, judgeRunsAndRows(t, 5, 21, of, exchange.FreshClients), "/body/variant")
	if f.Judgement != mapfile.Jitter || f.Category != mapfile.Rand || !slices.Contains(f.Evidence, "per-client") {
		t.Errorf("%s %s %q", f.Judgement, f.Category, f.Evidence)
	}
}

// Clients that are refused because of how many asked before them tell nothing: a limit is reached, nothing is drawn.
func TestPerClientWithinLimit(t *testing.T) {
	f := field(t, judgeRows(t, 5, 1+10*exchange.AsksOfClient, func(_, n int) (int, string) {
		if n > 1+2*exchange.AsksOfClient {
			return 429, `{}`
		}
		return 200, `{}`
	}, exchange.FreshClients), exchange.PlaceStatus)
	if f.Judgement != mapfile.Stable || len(f.Evidence) > 0 {
		t.Errorf("%s %s %q", f.Judgement, f.Category, f.Evidence)
	}
}
