package demoapi

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// allowance is how many prices a client may ask for between two resets, as the API says; it does not insist.
const allowance = 1000

func (a *API) priceRoutes() []route {
	return []route{
		service.On("GET", "/prices/estimate", a.estimate),
		service.On("GET", "/prices/history", a.history),
		service.On("GET", "/prices/rates", a.rates),
	}
}

// metered counts one use of the prices and says what is left.
func (a *API) metered(ans answer) answer {
	a.state.prices++
	return ans.With("X-Ratelimit-Remaining", strconv.Itoa(max(0, allowance-a.state.prices))).
		With("X-Ratelimit-Reset", strconv.FormatInt(a.now().Add(time.Minute).Unix(), 10))
}

// estimate offers a price that holds for five minutes: total is always base + jitter.
func (a *API) estimate(r *request) answer {
	id, ok := r.number("product", 0, 1, 1_000_000)
	p := a.state.catalogue.products[id]
	v := violations{lang: r.lang}
	v.check(ok && p != nil, "product", ruleOneOf, "GET /products")
	if len(v.list) > 0 {
		return v.answer()
	}
	jitter, spread := a.rng.IntN(100), 0
	if a.happens(service.Chance(a.dials.RareChance, 1.0/30)) {
		spread = 1 + a.rng.IntN(3)
	}
	quote := a.hex(12)
	return a.metered(service.Reply(http.StatusOK, struct {
		Product    int    `json:"product"`
		Base       int    `json:"base"`
		Jitter     int    `json:"jitter"`
		Total      int    `json:"total"`
		Spread     int    `json:"spread"`
		Currency   string `json:"currency"`
		QuoteID    string `json:"quoteId"`
		Signature  string `json:"signature"`
		ValidUntil string `json:"validUntil"`
	}{p.id, p.cents, jitter, p.cents + jitter, spread, "EUR", quote,
		hex.EncodeToString(a.mac(quote)), nanos(a.now().Add(5 * time.Minute))}))
}

// history lists prices of days long past, and what changes only at midnight, UTC.
func (a *API) history(*request) answer {
	type closing struct {
		Day   string `json:"day"`
		Cents int    `json:"cents"`
	}
	today := a.now().UTC()
	return service.Reply(http.StatusOK, struct {
		AsOf      string    `json:"asOf"`
		Weekday   string    `json:"weekday"`
		EpochDays int64     `json:"epochDays"`
		Headline  string    `json:"headline"`
		Closes    []closing `json:"closes"`
	}{
		today.Format(time.DateOnly), today.Weekday().String(), today.Unix() / 86400,
		fmt.Sprintf("Prices of %s", today.Format("2 January 2006")),
		[]closing{{"2026-01-27", 1790}, {"2026-01-28", 1795}, {"2026-01-29", 1800}},
	})
}

// rates is a map whose keys are data, and constants in the notations of times.
func (a *API) rates(*request) answer {
	return a.metered(service.Reply(http.StatusOK, struct {
		Base    string             `json:"base"`
		Rates   map[string]float64 `json:"rates"`
		Updated string             `json:"publishedAt"`
		Source  string             `json:"source"`
		Next    string             `json:"nextPublication"`
	}{
		"EUR", map[string]float64{"CHF": 0.9412, "GBP": 0.8633, "USD": 1.0871, "VND": 27514.5},
		"2026-01-29T12:15:09+07:00", "/var/lib/rates/published/european/centralbank.csv", "Fri, 30 Jan 2026 05:15:09 GMT",
	}))
}

// nanos writes a time as RFC 3339 with nine digits of a second, in UTC.
func nanos(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }
