package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
)

// load is what one run of a recording costs, and what is to be known of its requests before one.
type load struct {
	requests, unsafe int // that are sent
	repeatable       int // of these, those that may be sent several times
	skipped          int
	took             time.Duration // by their recorded latencies, one after the other
	repeated         time.Duration // of these, that of the repeatable ones
	from, to         time.Time
	// the longest time, below maxPause, for which an answer to one of these may be kept
	kept        time.Duration
	languages   map[string]bool // the primary tags of Accept-Language
	signed      map[string]int  // by scheme
	firstSigned uint64
}

// load goes over the recording.
func (s *survey) load(p *replay.Player, chosen *selected) (*load, error) {
	l := &load{languages: map[string]bool{}, signed: map[string]int{}}
	for e, err := range s.db.Exchanges() {
		if err != nil {
			return nil, err
		}
		l.add(e, p, chosen)
	}
	return l, nil
}

func (l *load) add(e *exchange.Exchange, p *replay.Player, chosen *selected) {
	for tag := range strings.SplitSeq(e.Request.Header.Get("Accept-Language"), ",") {
		if primary, _, _ := strings.Cut(strings.TrimSpace(tag), "-"); primary != "" {
			primary, _, _ = strings.Cut(primary, ";")
			l.languages[strings.ToLower(primary)] = true
		}
	}
	if _, skip := p.Destination(e); skip != "" {
		l.skipped++
		return
	}
	l.requests++
	l.took += e.Latency
	if l.from.IsZero() {
		l.from = e.Start
	}
	l.to = e.Start.Add(e.Latency)
	if !e.Request.Safe() {
		l.unsafe++
	}
	if repeatable(e) {
		l.repeatable++
		l.repeated += e.Latency
		if kept := e.Response.Freshness(); kept < maxPause {
			l.kept = max(l.kept, kept)
		}
	}
	if g, signed := chosen.signature(e); signed {
		if len(l.signed) == 0 {
			l.firstSigned = e.Seq
		}
		l.signed[g.Scheme]++
	}
}

// estimate is how long one run takes, as fast as the recorded answers came.
func (l *load) estimate(p *replay.Player, every time.Duration) time.Duration {
	d := l.took / time.Duration(max(p.Workers, 1))
	if p.Pace > 0 {
		d = max(d, time.Duration(float64(l.to.Sub(l.from))/float64(p.Pace)))
	}
	return max(d, time.Duration(l.unsafe)*every)
}

// sayUnreplayable says which requests cannot be replayed as they were meant.
func (l *load) sayUnreplayable(talk *console.Console) {
	total := 0
	for _, n := range l.signed {
		total += n
	}
	if total == 0 {
		return
	}
	var which []string
	for _, scheme := range slices.Sorted(maps.Keys(l.signed)) {
		which = append(which, fmt.Sprintf("%s ×%d", scheme, l.signed[scheme]))
	}
	talk.Say("flaketap: %s cannot be replayed faithfully, the first of them exchange %d: signed or with a nonce (%s). "+
		"Their answers say little; --skip signed leaves them out",
		console.Count(total, "request"), l.firstSigned, strings.Join(which, ", "))
}
