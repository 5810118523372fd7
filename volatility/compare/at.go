package compare

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/exchange"
)

// At returns the raw JSON token that a response has at one concrete place, without reading the rest of it into a tree.
// It agrees with [Walk]: ok is false where Walk would not come by.
func At(r *exchange.Response, place exchange.Place) (raw string, ok bool) {
	if r == nil {
		return "", false
	}
	if place == exchange.PlaceStatus {
		return strconv.Itoa(r.Status), true
	}
	return Read(r, nil).At(place)
}

// At does as the function [At], and agrees with [Answer.Walk].
func (a *Answer) At(place exchange.Place) (raw string, ok bool) {
	if place == exchange.PlaceStatus {
		return a.status, a.status != ""
	}
	if !place.Within(exchange.PlaceBody) {
		for _, h := range a.headers {
			if h.place == place {
				return quote(h.value), true
			}
		}
		return "", false
	}
	if !a.body.there {
		return "", false
	}
	if place == exchange.PlaceBody {
		return a.body.token(), true
	}
	if !a.body.json || len(place) > MaxPlace || !valid(a.body.src) {
		return "", false
	}
	at := gjson.Parse(a.body.src)
	for _, segment := range place.Segments()[1:] {
		if at, ok = step(at, segment); !ok {
			return "", false
		}
	}
	return at.Raw, true
}

// step goes to an element or member. gjson's own paths are not used for members: they take the first of two equal keys
// where JSON readers take the last.
func step(at gjson.Result, segment string) (next gjson.Result, ok bool) {
	switch {
	case at.IsArray():
		n, err := strconv.Atoi(segment)
		if err != nil || n < 0 || strconv.Itoa(n) != segment {
			return next, false
		}
		next = at.Get(segment)
		return next, next.Exists()
	case at.IsObject():
		at.ForEach(func(key, value gjson.Result) bool {
			if key.String() == segment {
				next, ok = value, true
			}
			return true
		})
	}
	return next, ok
}

// valid reports whether gjson can be trusted with a text: it takes invalid ones for something, and its check goes down
// the stack with every level.
func valid(src string) bool {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			end, _ := scanSlowly(src, i+1)
			if end < 0 {
				return false
			}
			i = end - 1
		case '[', '{':
			if depth++; depth > MaxDepth {
				return false
			}
		case ']', '}':
			depth--
		}
	}
	return utf8.ValidString(src) && !strings.HasPrefix(src, "\ufeff") && gjson.Valid(src)
}
