package volatility

import (
	"fmt"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestDurationsOfAFastAPI: what counts the time that passed, and is 0 as long as the API is fast, would move; what is
// named alike and counts something else, or does not fit the time that passed, stays.
func TestDurationsOfAFastAPI(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want kind
	}{
		"since a login":      {`{"millisSinceLogin":0,"x":1}`, kind{mapfile.WouldMove, mapfile.Time}},
		"took":               {`{"tookMs":0}`, kind{mapfile.WouldMove, mapfile.Time}},
		"took 1 ms":          {`{"took":1}`, kind{mapfile.WouldMove, mapfile.Time}},
		"uptime":             {`{"uptimeSeconds":0}`, kind{mapfile.WouldMove, mapfile.Time}},
		"elapsed":            {`{"elapsed_ms":0.0}`, kind{mapfile.WouldMove, mapfile.Time}},
		"ago":                {`{"made":"0 minutes ago"}`, kind{mapfile.WouldMove, mapfile.Time}},
		"ago in French":      {`{"made":"publié il y a 0 minute"}`, kind{mapfile.WouldMove, mapfile.Time}},
		"ago in Japanese":    {`{"made":"0 分前"}`, kind{mapfile.WouldMove, mapfile.Time}},
		"views since":        {`{"viewsSinceReset":0}`, kind{mapfile.Stable, ""}},
		"a film":             {`{"duration":0}`, kind{mapfile.Stable, ""}},
		"an agreed time":     {`{"timeoutMillis":0}`, kind{mapfile.Stable, ""}},
		"too long a time":    {`{"uptimeMinutes":1}`, kind{mapfile.Stable, ""}},
		"never as constant":  {`{"tookMs":17}`, kind{mapfile.Stable, ""}},
		"3 minutes ago":      {`{"made":"3 minutes ago"}`, kind{mapfile.Stable, ""}},
		"a day ago":          {`{"made":"1 day ago"}`, kind{mapfile.Stable, ""}},
		"a number of things": {`{"made":"0 minutes left"}`, kind{mapfile.Stable, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 4, steps: 3, gap: 3 * time.Hour, answer: func(call) answer { return answer{body: tt.body} }}
			for _, o := range a.judge(t).Operations {
				for _, f := range o.Fields {
					if f.Place == "/body/x" || f.Place.Root() != "body" || f.Place == "/body" {
						continue
					}
					if got := (kind{f.Judgement, f.Category}); got != tt.want {
						t.Errorf("%s: got %v, want %v: %q", f.Place, got, tt.want, f.Evidence)
					}
					if f.Judgement == mapfile.WouldMove && f.Holds.Equal != nil {
						t.Errorf("%s is said to be always %s", f.Place, f.Holds.Equal)
					}
				}
			}
		})
	}
	echoed := &api{runs: 4, steps: 3, request: func(c call) (string, string) { return fmt.Sprintf("/things/%d", c.step), `{"tookMs":0}` },
		answer: func(call) answer { return answer{body: `{"tookMs":0}`} }}
	if f := field(t, echoed.judge(t), "/body/tookMs"); f.Judgement == mapfile.WouldMove {
		t.Errorf("what the client sent: %s", f.Evidence)
	}
}

// TestTimesFromNow: a text that tells how long ago something was follows the clock, be that of the session or of old.
func TestTimesFromNow(t *testing.T) {
	for name, say := range map[string]func(c call) string{
		"of old":       func(c call) string { return fmt.Sprintf("seen %d minutes ago", 7+c.run*3) },
		"in French":    func(c call) string { return fmt.Sprintf("il y a %d minutes", 7+c.run*3) },
		"in Arabic":    func(c call) string { return fmt.Sprintf("قبل %d دقيقة", 17+c.run*3) },
		"in Japanese":  func(c call) string { return fmt.Sprintf("%d 分前", 7+c.run*3) },
		"to come":      func(c call) string { return fmt.Sprintf("in %d minutes", 70-c.run*3) },
		"of session":   func(c call) string { return fmt.Sprintf("%d seconds ago", (c.rng.IntN(3)+c.step)/4) },
		"clock-like":   func(c call) string { return fmt.Sprintf("1d %02d:%02d:09", 2+c.run*3/60, c.run*3%60) },
		"with a day":   func(c call) string { return fmt.Sprintf("up 1 day, 2:%02d:09", 10+c.run*3) },
		"ISO duration": func(c call) string { return fmt.Sprintf("P1DT2H%dM", 10+c.run*3) },
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 5, steps: 8, gap: 3 * time.Minute, answer: func(c call) answer { return body(`{"v":%q}`, say(c)) }}
			if f := field(t, a.judge(t), "/body/v"); f.Category != mapfile.Time {
				t.Errorf("%s %s: %q %s", f.Judgement, f.Category, f.Evidence, f.Samples)
			}
		})
	}
}
