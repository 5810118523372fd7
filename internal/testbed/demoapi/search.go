package demoapi

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// hitsPerPage is the length of a page of search results.
const hitsPerPage = 5

func (a *API) searchRoutes() []route {
	return []route{
		service.On("GET", "/search", a.search),
		service.On("GET", "/search/recent", a.recent),
	}
}

// hit is one product found.
type hit struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Score int    `json:"score"`
}

// search finds products by a part of their name. Which hits are on a page is certain, and their order there is not.
func (a *API) search(r *request) answer {
	begin := a.now()
	q := strings.ToLower(r.query.Get("q"))
	v := violations{lang: r.lang}
	v.check(fits(q, 1, 50), "q", ruleLength, 1, 50)
	if len(v.list) > 0 {
		return v.answer()
	}
	from, ok := cursorPosition(r.query.Get("cursor"))
	if !ok {
		return fail(http.StatusBadRequest, "bad_cursor", "The cursor is not one of this API.")
	}
	all := []hit{}
	for _, p := range a.state.catalogue.sorted() {
		if n := strings.Count(strings.ToLower(p.name), q); n > 0 {
			all = append(all, hit{p.id, p.name, n})
		}
	}
	page := all[min(from, len(all)):min(from+hitsPerPage, len(all))]
	var next *string
	if from+hitsPerPage < len(all) && from+hitsPerPage < 256 {
		c := base64.RawURLEncoding.EncodeToString(append([]byte{byte(from + hitsPerPage)}, a.bytes(11)...))
		next = &c
	}
	a.state.guests.searched(q)
	suggestions := shuffled(a, []string{"clocks", "looms", "notes", "octopus", "overtures"})[:1+a.rng.IntN(4)]
	slices.Sort(suggestions)
	return service.Reply(http.StatusOK, struct {
		Query       string   `json:"query"`
		Total       int      `json:"total"`
		Hits        []hit    `json:"hits"`
		Facets      []string `json:"facets"`
		Suggestions []string `json:"suggestions"`
		Cursor      *string  `json:"cursor"`
		Took        int64    `json:"tookNanoseconds"`
	}{q, len(all), shuffled(a, page), shuffled(a, []string{"author", "currency", "price", "released", "tag"}),
		suggestions, next,
		a.now().Sub(begin).Nanoseconds()})
}

// cursorPosition returns where the page of a cursor begins. A cursor is the position and a nonce.
func cursorPosition(c string) (int, bool) {
	if c == "" {
		return 0, true
	}
	b, err := base64.RawURLEncoding.DecodeString(c)
	if err != nil || len(b) != 12 {
		return 0, false
	}
	return int(b[0]), true
}

// recent lists the words searched for, by any client.
func (a *API) recent(*request) answer {
	return service.Reply(http.StatusOK, struct {
		Words []string `json:"words"`
	}{append([]string{}, a.state.guests.words...)})
}
