package rewriting

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Variant is json-server with one planted regression.
type Variant struct {
	Name    string
	Planted string // what is planted
	plant   func() func(call, next) answer
}

// Named is the variant of that name; the empty name is the sound API.
func Named(name string) (Variant, error) {
	if name == "" {
		return Variant{}, nil
	}
	for _, v := range Variants {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, fmt.Errorf("no variant is named %q", name)
}

// Variants are the planted regressions, in the order of their names.
var Variants = []Variant{
	{"active-always", "Every member is active.", onObjects("GET", "/members", func(o *object) {
		o.set("active", true)
	})},
	{"author-gone", "Reading an author always answers 404.", onAnswer("GET", "/authors/*", func(_ call, a *answer) {
		a.status = http.StatusNotFound
		a.set(&object{})
	})},
	{"authors-books-all", "The books of an author are the books of all.",
		onRequest("GET", "/authors/*/books", func(c *call) {
			c.path = "/books"
		})},
	{"created-is-200", "A review that was made is answered with 200.",
		onAnswer("POST", "/books/*/reviews", func(_ call, a *answer) {
			a.status = http.StatusOK
		})},
	{"dates-british", "publishedOn is written as day/month/year.", onObjects("GET", "/books", func(o *object) {
		s, _ := o.values["publishedOn"].(string)
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			o.set("publishedOn", t.Format("02/01/2006"))
		}
	})},
	{"delete-keeps", "A book that is deleted is still there.", always(func(c call, n next) answer {
		if !c.is("DELETE", "/books/*") {
			return n(c)
		}
		c.method, c.body = "GET", nil
		a := n(c)
		if a.status == http.StatusOK {
			a.set(&object{})
		}
		return a
	})},
	{"delete-twice", "Deleting a book that is no longer there answers 200.",
		onAnswer("DELETE", "/books/*", func(_ call, a *answer) {
			a.status = http.StatusOK
		})},
	{"embed-ignored", "_embed is ignored.", onRequest("GET", "/authors/*", func(c *call) {
		c.query.Del("_embed")
	})},
	{"expand-first", "The publisher of a book is always the first publisher.", always(func(c call, n next) answer {
		a := n(c)
		if o, ok := a.value().(*object); ok && o.has("publisher") {
			first := n(call{method: "GET", path: "/publishers/1", header: http.Header{}, host: c.host})
			o.set("publisher", first.value())
			a.set(o)
		}
		return a
	})},
	{"genre-ignored", "The filter by genre is ignored.", onRequest("GET", "/books", func(c *call) {
		c.query.Del("genre")
	})},
	{"isbn-dropped", "A book has no isbn any more.", onObjects("GET", "/books", func(o *object) {
		o.drop("isbn")
	})},
	{"joined-renamed", "joinedAt of a member is joined_at.", onObjects("GET", "/members", func(o *object) {
		o.rename("joinedAt", "joined_at")
	})},
	{"limit-short", "A limit gives one fewer than asked for.", onRequest("GET", "/*", func(c *call) {
		if n, err := strconv.Atoi(c.query.Get("_limit")); err == nil && !c.query.Has("_page") {
			c.query.Set("_limit", strconv.Itoa(n-1))
		}
	})},
	{"link-gone", "Pages have no Link header.", onAnswer("GET", "/books", func(_ call, a *answer) {
		a.header.Del("Link")
	})},
	{"loans-empty", "The list of loans is always empty.", onAnswer("GET", "/loans", func(_ call, a *answer) {
		a.set([]any{})
	})},
	{"location-gone", "What was made has no Location.", onAnswer("POST", "/*", func(_ call, a *answer) {
		a.header.Del("Location")
	})},
	{"made-price", "A new book is answered with a price that is 1 too high.",
		onAnswer("POST", "/books", func(_ call, a *answer) {
			if o, ok := a.value().(*object); ok {
				multiply(o, "price", 1, 1)
				a.set(o)
			}
		})},
	{"made-title", "A new book is stored under another title.", onRequest("POST", "/books", func(c *call) {
		if v, err := decode(c.body); err == nil {
			v.(*object).set("title", "Untitled")
			c.body = encode(v)
			c.header = c.header.Clone()
			c.header.Del("Content-Length")
		}
	})},
	{"members-last-missing", "The list of members lacks the last one.",
		onAnswer("GET", "/members", func(_ call, a *answer) {
			if list, ok := a.value().([]any); ok && len(list) > 1 {
				a.set(list[:len(list)-1])
			}
		})},
	{"members-swapped", "Reading member 1 answers member 2, and so on in pairs.", always(func(c call, n next) answer {
		if id, err := strconv.Atoi(path.Base(c.path)); err == nil && c.is("GET", "/members/*") {
			other := c
			other.path = "/members/" + strconv.Itoa((id-1)^1+1)
			if a := n(other); a.status == http.StatusOK {
				return a
			}
		}
		return n(c)
	})},
	{"missing-is-200", "What is missing is answered with 200 and nothing.",
		onAnswer("GET", "/*/*", func(_ call, a *answer) {
			a.status = http.StatusOK
		})},
	{"nulls-for-empty", "An empty list is null.", onObjects("GET", "/books", func(o *object) {
		if list, ok := o.values["tags"].([]any); ok && len(list) == 0 {
			o.set("tags", nil)
		}
	})},
	{"order-ignored", "A descending order is ignored.", onRequest("GET", "/*", func(c *call) {
		c.query.Del("_order")
	})},
	{"page-first", "Every page is the first.", onRequest("GET", "/*", func(c *call) {
		if c.query.Has("_page") {
			c.query.Set("_page", "1")
		}
	})},
	{"patch-lost", "A PATCH of a member is answered and not kept.", always(func(c call, n next) answer {
		if !c.is("PATCH", "/members/*") {
			return n(c)
		}
		sent, err := decode(c.body)
		c.method, c.body = "GET", nil
		c.header = c.header.Clone()
		c.header.Del("Content-Length")
		a := n(c)
		was, ok := a.value().(*object)
		if changes, is := sent.(*object); is && ok && err == nil && a.status == http.StatusOK {
			for _, k := range changes.keys {
				was.set(k, changes.values[k])
			}
			a.set(was)
		}
		return a
	})},
	{"price-off", "Prices are 0.01 % too high.", onObjects("GET", "/books", func(o *object) {
		multiply(o, "price", 1.0001, 0)
	})},
	{"put-merges", "A PUT keeps the fields that were not sent.", onRequest("PUT", "/*/*", func(c *call) {
		c.method = "PATCH"
	})},
	{"range-exclusive", "year_gte leaves out its bound.", onRequest("GET", "/books", func(c *call) {
		if n, err := strconv.Atoi(c.query.Get("year_gte")); err == nil {
			c.query.Set("year_gte", strconv.Itoa(n+1))
		}
	})},
	{"ratings-whole", "Ratings of reviews are cut to whole numbers.", onObjects("GET", "/reviews", func(o *object) {
		if n, ok := o.values["rating"].(json.Number); ok {
			whole, _, _ := strings.Cut(n.String(), ".")
			o.set("rating", json.Number(whole))
		}
	})},
	{"search-ignored", "The search text is ignored.", onRequest("GET", "/*", func(c *call) {
		c.query.Del("q")
	})},
	{"settings-stale", "The settings are those of the first reading.", remembered("/settings")},
	{"sort-ignored", "_sort is ignored.", onRequest("GET", "/*", func(c *call) {
		c.query.Del("_sort")
	})},
	{"stale-member", "A member is answered as first read.", remembered("/members/*")},
	{"titles-cut", "Titles are cut to 20 letters.", onObjects("GET", "/books", func(o *object) {
		if s, ok := o.values["title"].(string); ok && len([]rune(s)) > 20 {
			o.set("title", string([]rune(s)[:20]))
		}
	})},
	{"total-off", "X-Total-Count is one too low.", onAnswer("GET", "/*", func(_ call, a *answer) {
		if n, err := strconv.Atoi(a.header.Get("X-Total-Count")); err == nil {
			a.header.Set("X-Total-Count", strconv.Itoa(n-1))
		}
	})},
	{"type-text", "Publishers are sent as text/plain.", onAnswer("GET", "/publishers*", func(_ call, a *answer) {
		a.header.Set("Content-Type", "text/plain; charset=utf-8")
	})},
}

func always(f func(call, next) answer) func() func(call, next) answer {
	return func() func(call, next) answer { return f }
}

// onRequest plants a regression in the requests of that method and path.
func onRequest(method, path string, f func(*call)) func() func(call, next) answer {
	return always(func(c call, n next) answer {
		if c.is(method, path) {
			f(&c)
		}
		return n(c)
	})
}

// onAnswer plants a regression in the answers to requests of that method and
// path.
func onAnswer(method, path string, f func(call, *answer)) func() func(call, next) answer {
	return always(func(c call, n next) answer {
		a := n(c)
		if c.is(method, path) {
			f(c, &a)
		}
		return a
	})
}

// onObjects plants a regression in the objects of a resource, whether they are
// read one by one or as a list, also below another resource.
func onObjects(method, resource string, f func(*object)) func() func(call, next) answer {
	return always(func(c call, n next) answer {
		a := n(c)
		if a.status >= 300 || !c.is(method, resource) && !c.is(method, resource+"/*") && !c.is(method, "/*/*"+resource) {
			return a
		}
		v := a.value()
		switch v := v.(type) {
		case *object:
			f(v)
		case []any:
			for _, e := range v {
				if o, ok := e.(*object); ok {
					f(o)
				}
			}
		}
		a.set(v)
		return a
	})
}

// remembered answers a GET of the path as it first answered.
func remembered(path string) func() func(call, next) answer {
	return func() func(call, next) answer {
		var lock sync.Mutex
		seen := map[string]answer{}
		return func(c call, n next) answer {
			if !c.is("GET", path) {
				return n(c)
			}
			lock.Lock()
			defer lock.Unlock()
			if a, ok := seen[c.path]; ok {
				return a
			}
			a := n(c)
			if a.status == http.StatusOK {
				seen[c.path] = a
			}
			return a
		}
	}
}

// multiply changes a number by a factor and a summand, to the number of digits
// that a computer gives.
func multiply(o *object, key string, factor, summand float64) {
	if n, ok := o.values[key].(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			o.set(key, json.Number(strconv.FormatFloat(f*factor+summand, 'f', -1, 64)))
		}
	}
}
