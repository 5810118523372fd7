package volatility

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestBeside proves what a neighbour explains, and what it does not: 29 January 2026, when the recording is made, is a
// Thursday.
func TestBeside(t *testing.T) {
	for name, tt := range map[string]struct {
		body  string
		place exchange.Place
		want  kind
	}{
		"weekday of today":       {`{"asOf":"2026-01-29","weekday":"Thursday"}`, "/body/weekday", kind{mapfile.WouldMove, mapfile.Time}},
		"short":                  {`{"asOf":"2026-01-29","dow":"THU"}`, "/body/dow", kind{mapfile.WouldMove, mapfile.Time}},
		"month":                  {`{"asOf":"2026-01-29","in":"January"}`, "/body/in", kind{mapfile.WouldMove, mapfile.Time}},
		"numbers by name":        {`{"asOf":"2026-01-29","dayOfYear":29}`, "/body/dayOfYear", kind{mapfile.WouldMove, mapfile.Time}},
		"year":                   {`{"asOf":"2026-01-29","year":2026}`, "/body/year", kind{mapfile.WouldMove, mapfile.Time}},
		"beside days":            {`{"days":20482,"weekday":"Thursday"}`, "/body/weekday", kind{mapfile.WouldMove, mapfile.Time}},
		"in German":              {`{"datum":"29.01.2026","tag":"Donnerstag"}`, "/body/tag", kind{mapfile.WouldMove, mapfile.Time}},
		"an appointment":         {`{"asOf":"2026-01-29","at":"2026-01-29T23:40:00Z"}`, "/body/at", kind{mapfile.WouldMove, mapfile.Time}},
		"of another day":         {`{"asOf":"2026-01-29","at":"2026-03-29T23:40:00Z"}`, "/body/at", kind{mapfile.Hint, ""}},
		"day of a calendar":      {`{"asOf":"2026-01-29","week":"2026-W05","left":336}`, "/body/left", kind{mapfile.WouldMove, mapfile.Time}},
		"number beside a date":   {`{"asOf":"2026-01-29","left":336}`, "/body/left", kind{mapfile.Stable, ""}},
		"another day":            {`{"asOf":"2026-01-29","market":"Friday"}`, "/body/market", kind{mapfile.Stable, ""}},
		"no date":                {`{"weekday":"Thursday"}`, "/body/weekday", kind{mapfile.Hint, ""}},
		"a date of old":          {`{"asOf":"2015-01-29","weekday":"Thursday"}`, "/body/weekday", kind{mapfile.Hint, ""}},
		"another object":         {`{"a":{"asOf":"2026-01-29"},"b":{"weekday":"Thursday"}}`, "/body/b/weekday", kind{mapfile.Hint, ""}},
		"number of no such name": {`{"asOf":"2026-01-29","stock":29}`, "/body/stock", kind{mapfile.Stable, ""}},

		"a process on a host": {`{"host":"build-7f3c","pid":4711}`, "/body/pid", kind{mapfile.WouldMove, mapfile.Env}},
		"a product":           {`{"shop":"north","pid":4711}`, "/body/pid", kind{mapfile.Hint, ""}},
		"a text called pid":   {`{"host":"build-7f3c","pid":"P-1"}`, "/body/pid", kind{mapfile.Hint, ""}},
		"host and process":    {`{"host":"vm","instance":"vm:4711"}`, "/body/instance", kind{mapfile.WouldMove, mapfile.Env}},
		"process at host":     {`{"host":"vm","instance":"4711@vm"}`, "/body/instance", kind{mapfile.WouldMove, mapfile.Env}},
		"another word":        {`{"host":"vm","instance":"vmware:1"}`, "/body/instance", kind{mapfile.Stable, ""}},
		"a port on a host":    {`{"host":"build-7f3c","port":5432}`, "/body/port", kind{mapfile.Hint, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 4, steps: 3, options: Options{Environment: []string{"build-7f3c", "vm"}}, answer: func(call) answer { return answer{body: tt.body} }}
			f := field(t, a.judge(t), tt.place)
			if got := (kind{f.Judgement, f.Category}); got != tt.want {
				t.Errorf("got %v want %v: %q", got, tt.want, f.Evidence)
			}
			if f.Judgement == mapfile.WouldMove && f.Holds.Equal != nil {
				t.Errorf("what would move is said to be always %s", f.Holds.Equal)
			}
		})
	}
}
