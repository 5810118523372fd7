package search

import (
	"math"
	"testing"
	"time"

	"github.com/flaketap/flaketap/mock/search/tree"
)

var (
	rates = Endpoint{Service: "rates.example:443", Method: "GET", Path: "/latest"}
	stock = Endpoint{Service: "stock.example:80", Method: "GET", Path: "/left"}
)

// ledBy is a base that an answer of an endpoint led to, with which the request ends with a status.
func ledBy(changed Endpoint, a Answer, status int) *base {
	return &base{setting: setting{rates: ok(), stock: ok()}.with(changed, a), changed: changed, endpoints: []Endpoint{rates, stock},
		sight: sight{status: status, endpoints: []Endpoint{rates, stock}}}
}

// Behind a failure the good answer comes with which the request goes well and which has most: the one that led furthest
// may lack what the API can do without.
func TestWhatFollowsAFailure(t *testing.T) {
	full := ok().with("/body/id", "x")
	for _, c := range []struct {
		name   string
		base   *base
		richer bool
	}{
		{"the base has more", ledBy(stock, full, 200), true},
		{"the base has more, and the request fails", ledBy(stock, full, 502), false},
		{"another answer was changed", ledBy(rates, full, 200), false},
	} {
		h := &hunt{known: newKnowledge()}
		h.known.bests[stock] = []best{{hunt: h, answer: ok().with("/body/left", 1.0)}}
		h.known.askedAgain(stock, Answer{Status: 503})
		l := &lister{base: c.base, endpoint: stock}
		h.sequences(l, c.base.current(stock))
		if len(l.out) != 1 || l.out[0].answer.Then.has("/body/id") != c.richer {
			t.Errorf("%s: %+v", c.name, l.out)
		}
	}
}

// A part of 1 is lost in rounding, so that nobody is asked to pay it: with larger numbers somebody is, though no other
// value of one of them led there.
func TestSharesThatRoundingLoses(t *testing.T) {
	o := Options{Requests: []Request{{Method: "GET", Target: "/stay"}}, Words: wordsOf("read(\"price\") read(\"share\")"), Trials: 300, Seed: 1, Patience: time.Second}
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("rooms.example:80", "/room")
		price, priced := at(r.json, "price").(float64)
		share, shared := at(r.json, "share").(float64)
		switch {
		case !priced:
			return 502, `{"error": "rooms sent no price"}`
		case !shared:
			return 502, `{"error": "rooms sent no share"}`
		case price > 99 || share > 99 || price < 1 || share < 1:
			return 502, `{"error": "rooms sent nonsense"}`
		case math.Round(price*share/100) == 0:
			return 200, `{"paid": false}`
		case price < 20 || share < 20:
			return 200, `{"paid": "little"}`
		}
		return 200, `{"paid": true}`
	})
	wanted(t, found, `{paid: true}`)
}

func TestPurposeOfLargeNumbers(t *testing.T) {
	h, l := &hunt{known: newKnowledge()}, &lister{base: ledBy(stock, ok().with("/body/left", 1.0).with("/body/of", 2.0), 200), endpoint: stock}
	h.enlarge(l, l.base.current(stock))
	h.enlarge(l, ok())
	h.enlarge(&lister{base: ledBy(stock, ok().with("/body/left", 1.0), 502), endpoint: stock}, ok().with("/body/left", 1.0))
	if len(l.out) != 1 || l.out[0].purpose() != toVary || !tree.Same(l.out[0].answer.JSON, map[string]any{"left": 60.0, "of": 2.0}) {
		t.Errorf("%+v", l.out)
	}
}
