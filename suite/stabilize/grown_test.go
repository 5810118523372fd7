package stabilize

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

func TestGrown(t *testing.T) {
	type run = []*exchange.Exchange
	said := func(method string, status int, body string) *exchange.Exchange {
		return &exchange.Exchange{
			Request: exchange.ParseRequest(exchange.Message{Plain: true, Body: []byte(`{"code":"A-1"}`),
				Head: []byte(method + " /carts?x=1 HTTP/1.1\r\nHost: a\r\n\r\n")}),
			Response: exchange.ParseResponse(exchange.Message{Plain: true, Body: []byte(body),
				Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n\r\n", status)}),
		}
	}
	runs := func(method string, statuses ...int) (out []run) {
		for _, status := range statuses {
			out = append(out, run{said(method, status, "{}")})
		}
		return out
	}
	lists := func(lengths ...string) (out []run) {
		for _, items := range lengths {
			out = append(out, run{said("GET", 200, `{"data":[`+items+`],"id":7}`)})
		}
		return out
	}
	for name, tt := range map[string]struct {
		tracks []run
		want   []NotReset
	}{
		"created once":           {runs("POST", 201, 409, 409), []NotReset{{"POST /carts", "/status", []int{201, 409, 409}}}},
		"removed once":           {runs("DELETE", 204, 404), []NotReset{{"DELETE /carts", "/status", []int{204, 404}}}},
		"refused and then not":   {runs("POST", 201, 409, 201), nil},
		"always refused":         {runs("POST", 409, 409, 409), nil},
		"a server that falters":  {runs("POST", 201, 503, 503), nil},
		"too many at once":       {runs("POST", 201, 429, 429), nil},
		"now this and now that":  {runs("POST", 201, 409, 422), nil},
		"a list that grows":      {lists("1", "1,2", "1,2,3", "1,2,3,4"), []NotReset{{"GET /carts", "/body/data", []int{1, 2, 3, 4}}}},
		"too few to tell":        {lists("1", "1,2", "1,2,3"), nil},
		"a list that moves":      {lists("1", "1,2", "1", "1,2,3"), nil},
		"reading says no status": {runs("GET", 200, 404, 404), nil},
		"one run":                {runs("POST", 201), nil},
		"asked in one run alone": {[]run{runs("POST", 201)[0], nil}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, grown(tt.tracks)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
