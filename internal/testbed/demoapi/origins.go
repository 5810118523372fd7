package demoapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/service"
)

// Origin says of one value in a request of [DriveTold] where the client took it from: the client knows, since it put it
// there. It is what a search for such values is held against.
type Origin struct {
	From  int            // the request whose answer gave it, counted from 1
	To    int            // the request that holds it
	Place exchange.Place // where: /path/1, /query/q, /header/if-match, /cookie/sid, /body/orderId
	Value string
}

// DriveTold is [Drive] over a transport of the caller's, with the origin of every value that the client takes from an
// answer. What it sends of its own accord, as constants and guesses, has none.
func DriveTold(ctx context.Context, baseURL string, rounds int, transport http.RoundTripper) ([]Origin, error) {
	t := &told{}
	c := client(ctx, baseURL, transport, service.Pause)
	c.Follower = t
	err := c.Play(rounds, append(scenarios(), service.Scenario{Name: "stroll", Play: stroll}))
	return t.origins, err
}

// Shared returns the ids that the API begins with and that the client of [DriveTold] has as constants too. Where an
// answer gave one before the client sent it, nobody but the client can tell: to call it taken or not is as good.
func Shared() []string { return []string{adaID, seedOrderID} }

// stroll does what the scenarios do not: it takes ids from lists, and follows the addresses that answers give.
func stroll(d *service.Client) {
	d.Headers = bearer(d.Post("/login", adaLogin).Value("token"))
	list := d.Get("/orders")
	for i := range min(list.Count("orders"), 4) {
		id := list.At("orders", i, "id")
		d.Get("/orders/" + id)
		d.Get("/orders/" + id + "/events")
		d.Post("/invoices", `{"orderId":"`+id+`"}`)
	}
	placed := d.Post("/orders", `{"items":[{"product":2,"quantity":1}]}`)
	d.Get(placed.Value("statusUrl"))
	d.Get("/orders/" + placed.Value("id") + "/events")
	d.Send("DELETE", placed.Header("Location"), "")
	made := d.Post("/products", `{"name":"Slide Rule","tag":"game","priceCents":3}`)
	seen := d.Get(made.Header("Location"))
	d.Get("/products/"+made.Value("id"), "If-None-Match", seen.ETag())
	d.Get("/products/" + made.Value("id") + "/reviews")
	d.Post("/products/"+made.Value("id")+"/reviews", `{"author":"Reader","stars":3,"text":"Fine."}`)
	d.Send("DELETE", "/products/"+made.Value("id"), "")
	hit := d.Get("/search?q=o").At("hits", 0, "id")
	d.Get("/products/" + hit)
}

// told is a [service.Follower]: each value that a client takes is handed to the scenario as a stamp, a number that
// stands for it and that nothing else holds, and is put back when the request is sent. A number is right in a path, in
// a header and in JSON, in quotes and without.
type told struct {
	sent    int // requests so far
	taken   []taken
	origins []Origin
}

// taken is a value that an answer gave.
type taken struct {
	from  int
	value string
}

// stampText is how stamps are written.
var stampText = regexp.MustCompile(`70931(\d{6})13907`)

// Take returns the stamp for a value of the answer to a request.
func (t *told) Take(from int, value string) string {
	if value == "" {
		return ""
	}
	t.taken = append(t.taken, taken{from, value})
	return fmt.Sprintf("70931%06d13907", len(t.taken)-1)
}

// Fill puts the values back into a text.
func (t *told) Fill(text string) string {
	return stampText.ReplaceAllStringFunc(text, func(stamp string) string { return t.of(stamp).value })
}

func (t *told) of(stamp string) taken {
	n, err := strconv.Atoi(stampText.FindStringSubmatch(stamp)[1])
	if err != nil || n >= len(t.taken) {
		return taken{value: stamp}
	}
	return t.taken[n]
}

// Sends notes the stamps in a request that is about to be sent, and returns its number.
func (t *told) Sends(path, body string, header http.Header) (request int) {
	t.sent++
	path, query, _ := strings.Cut(path, "?")
	if path[0] == '/' {
		for i, segment := range strings.Split(path[1:], "/") {
			t.note(exchange.Place("/path").Index(i), segment)
		}
	} else { // an address that an answer gave
		t.note("/path", path)
	}
	values, _ := url.ParseQuery(query)
	for name, list := range values {
		for _, v := range list {
			t.note(exchange.Place("/query").Key(name), v)
		}
	}
	for name, list := range header {
		for _, v := range list {
			if name != "Cookie" {
				t.note(exchange.HeaderPlace(name), v)
				continue
			}
			for pair := range strings.SplitSeq(v, "; ") {
				key, value, _ := strings.Cut(pair, "=")
				t.note(exchange.Place("/cookie").Key(key), value)
			}
		}
	}
	var document any
	if json.Unmarshal([]byte(body), &document) == nil {
		t.members(exchange.PlaceBody, document)
	}
	return t.sent
}

// members notes the stamps in a JSON document.
func (t *told) members(place exchange.Place, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			t.members(place.Key(key), member)
		}
	case []any:
		for i, member := range v {
			t.members(place.Index(i), member)
		}
	case string:
		t.note(place, v)
	case float64:
		t.note(place, strconv.FormatFloat(v, 'f', -1, 64))
	}
}

func (t *told) note(place exchange.Place, text string) {
	for _, stamp := range stampText.FindAllString(text, -1) {
		x := t.of(stamp)
		o := Origin{From: x.from, To: t.sent, Place: place, Value: x.value}
		if !slices.Contains(t.origins, o) {
			t.origins = append(t.origins, o)
		}
	}
}
