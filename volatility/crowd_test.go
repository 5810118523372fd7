package volatility

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestLoad: what moves only where many ask at once is told by how many, and says nothing against what holds of one who
// asks alone. What asking again does, and what moves once in a while, is not of the load.
func TestLoad(t *testing.T) {
	const atOnce = 16
	m := judgeRows(t, 3, exchange.SentAlone+atOnce, func(step, n int) (int, string) {
		crowd := n > exchange.SentAlone
		if crowd && n%4 == 0 {
			return 503, `{"error":"too many requests"}`
		}
		return 200, fmt.Sprintf(`{"served_by":%q,"seen":%d,"rare":%q,"name":"a"}`, pick(crowd, "the second node", "the first node"), n, pick(n == 7 && step == 0, "odd", "calm"))
	}, "load=16")
	for place, want := range map[exchange.Place]struct {
		judgement mapfile.Judgement
		evidence  []string
	}{
		exchange.PlaceStatus: {mapfile.Hint, []string{"moved-only-by:load", "at-once:16"}},
		"/body/served_by":    {mapfile.Hint, []string{"moved-only-by:load", "at-once:16"}},
		"/body/seen":         {mapfile.Stable, nil},
		"/body/rare":         {mapfile.Stable, nil},
		"/body/name":         {mapfile.Stable, nil},
	} {
		f := field(t, m, place)
		if f.Judgement != want.judgement || !slices.Equal(f.Evidence, want.evidence) || f.Of != 6 || f.Changed != 0 {
			t.Errorf("%s: %s %q %d/%d, want %s %q 0/6", place, f.Judgement, f.Evidence, f.Changed, f.Of, want.judgement, want.evidence)
		}
	}
}
