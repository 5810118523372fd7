package portapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// A client may ask for its quota so often in a window of so long.
const (
	quotaLimit  = 6
	quotaWindow = 10 * time.Minute
)

// cacheTime is how long the rates of the cache are good for.
const cacheTime = time.Second

// rates are what the cache holds: the rates of exchange, as they were when it was filled.
type rates struct {
	id     string
	dollar float64
	at     time.Time
}

func (a *API) limitRoutes() []route {
	return []route{service.On("GET", "/quota", a.quota), service.On("GET", "/tariffs", a.tariffs)}
}

// quota counts the requests of a window; those of an earlier client count too.
func (a *API) quota(r *request) answer {
	s := a.state
	if s.used == 0 || r.now.Sub(s.window) >= quotaWindow {
		s.used, s.window = 0, r.now
	}
	ends := s.window.Add(quotaWindow)
	left := ends.Sub(r.now)
	s.used++
	remaining := max(0, quotaLimit-s.used)
	var ans answer
	if s.used > quotaLimit {
		ans = a.problem(r, http.StatusTooManyRequests, "quota", "The quota is used up.", object{
			"retry_after_ms": left.Milliseconds(), "retry_at": ends.Format(time.RFC3339Nano), "remaining": remaining,
			"limit": quotaLimit, "over_by": s.used - quotaLimit, "used": s.used,
			"message": fmt.Sprintf("Quota of %d used up, retry in %d s.", quotaLimit, left/time.Second),
		}).With("Retry-After", fmt.Sprint(int((left+time.Second-1)/time.Second)))
	} else {
		ans = service.Reply(http.StatusOK, object{
			"plan": "harbour-basic", "limit": quotaLimit, "used": s.used, "remaining": remaining, "window": "PT10M",
			"resets_at": ends.Format(time.RFC3339Nano), "resets_in_ms": left.Milliseconds(),
			"text":         fmt.Sprintf("%d of %d requests left", remaining, quotaLimit),
			"used_percent": round(100*float64(s.used)/quotaLimit, 1),
			"billing_day":  22, "plan_since": "2022-11", "price": "49.00", "contract": "HB-20221122-0007", "burst": 2,
			"percentile_99_ms": 412,
		})
	}
	return ans.With("X-RateLimit-Limit", fmt.Sprint(quotaLimit)).With("X-RateLimit-Remaining", fmt.Sprint(remaining)).
		With("X-RateLimit-Reset", fmt.Sprint(ends.Unix())).With("RateLimit-Policy", "6;w=600")
}

// tariffs are the prices in the client's currency, and the rates of a cache that is filled anew when they are old.
func (a *API) tariffs(r *request) answer {
	cache, hit := &a.lasting.cache, "HIT"
	if r.now.Sub(cache.at) >= cacheTime {
		rng := a.rates
		cache.id, cache.dollar = fmt.Sprintf("rt-%08x", rng.Uint32()), round(1.05+rng.Float64()/10, 4)
		cache.at, hit = r.now, "MISS"
	}
	t := tongueOf(r)
	return service.Reply(http.StatusOK, object{
		"rates": object{"rate_id": cache.id, "eur_usd": cache.dollar, "as_of": cache.at.Format("15:04:05.000000 MST"),
			"age_ms": r.now.Sub(cache.at).Milliseconds(), "source": "ECB reference rates, 16:00 CET"},
		"price": t.price, "language": t.tag, "valid_for": "Monday to Friday", "edition": "2024.11",
		"prices": []object{{"service": "pilot", "price": t.price, "unit": "call", "code": "0xP1L0T"},
			{"service": "tug", "price": t.price, "unit": "hour", "code": "1700000000"}},
		"next_edition": t.write(t.numeric, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)),
		"printed":      t.write(t.long, time.Date(2024, 11, 22, 0, 0, 0, 0, time.UTC)), "list_md5": md5Of("prices 2024.11"),
		"year_of_validity": 2026, "vat": "20 %", "imprint": "(c) 2019 Harbour One", "issued_on": t.write("{day}", r.now),
	}).With("X-Cache", hit).With("X-Cache-Key", md5Of("tariffs "+t.tag)).With("X-Rates-Tag", sha(cache.id)[:16]).
		With("Cache-Control", "public, max-age=1").With("Content-Language", t.tag).With("Vary", "Accept-Language")
}
