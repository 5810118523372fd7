package inspect

import (
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// maxAskedBody bounds the body of a request that a form shows as an example, in bytes.
const maxAskedBody = 64 << 10

// Asked gathers what the requests of a recording were beside their paths, in the file by which it was judged: the first
// of each operation and status. Secrets are tokens in it.
func Asked(path string, j *analysis.Result) (report.Asked, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return AskedStored(db, j)
}

// AskedStored does what [Asked] does with a database that is open.
func AskedStored(db *store.Store, j *analysis.Result) (report.Asked, error) {
	given := map[uint64][]exchange.Place{}
	for _, b := range j.Bindings {
		for _, u := range b.Uses {
			given[u.Seq] = append(given[u.Seq], u.Place)
		}
	}
	out := report.Asked{}
	for e, err := range store.Readable(db.Exchanges(), nil) {
		if err != nil {
			return nil, err
		}
		key := report.AskedKey{Operation: j.Operations[e.Seq], Status: exchange.StatusOf(e.Response)}
		if _, known := out[key]; !known && key.Method != "" {
			out[key] = askedOne(e, j.Redactor, given[e.Seq])
		}
	}
	return out, nil
}

// askedOne is the request of an exchange; given are the places of values that earlier answers gave.
func askedOne(e *exchange.Exchange, r exchange.Redactor, given []exchange.Place) report.AskedOne {
	q := &e.Request
	out := report.AskedOne{Media: q.MediaType(), Given: given}
	_, out.Query, _ = strings.Cut(redact.Target(r, q.Target), "?")
	message.Values(q, func(place exchange.Place, _ string) bool {
		if r.Secret(place) {
			out.Given = append(out.Given, place)
		}
		return true
	})
	body, err := q.Payload()
	if err == nil && q.Cut == 0 && len(body) <= maxAskedBody && utf8.Valid(body) {
		out.Body = redact.Body(r, q.MediaType(), body)
	}
	return out
}
