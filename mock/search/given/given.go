// Package given reads the values of a request, which an answer of a service may have to give back, or is held against.
package given

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Values are those of a request that an answer may have to give back, or that it is held against.
type Values struct {
	Texts  []string        // also numbers, as they are written
	Named  map[string]any  // by the name of the parameter, or member, where it has one
	Echoes map[string]bool // the texts
}

// Bounds of the values of a request.
const maxGiven = 30

// Of are the values of a request by its target and body: of the path, the query, and the body. Those that are named as
// secrets are not, nor those of a body beside them.
func Of(target string, body []byte) Values {
	g := Values{Named: map[string]any{}, Echoes: map[string]bool{}}
	u, err := url.Parse(target)
	if err != nil {
		return g
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if exchange.Secret(exchange.Place("/query").Key(name)) {
			continue
		}
		for _, v := range query[name] {
			g.add(name, v)
		}
	}
	segments := strings.Split(u.Path, "/")
	for _, s := range segments[min(2, len(segments)):] {
		g.add("", s)
	}
	var v any
	if json.Unmarshal(body, &v) == nil && !BearsSecret(body) {
		g.within("", v, tree.MaxDepth)
	}
	return g
}

// add takes a value, which is a number too where it can be read so.
func (g *Values) add(name string, v any) {
	text, is := v.(string)
	if n, number := v.(float64); number {
		text, is = strconv.FormatFloat(n, 'f', -1, 64), true
	}
	if !is || text == "" || len(text) > 80 {
		return
	}
	if !slices.Contains(g.Texts, text) && len(g.Texts) < maxGiven {
		g.Texts = append(g.Texts, text)
		g.Echoes[text] = true
	}
	if _, there := g.Named[name]; !there && name != "" {
		g.Named[name] = v
	}
}

func (g *Values) within(name string, v any, depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			g.within(name, v[name], depth-1)
		}
	case []any:
		for _, in := range v[:min(len(v), 3)] {
			g.within(name, in, depth-1)
		}
	default:
		g.add(name, v)
	}
}

// Numbers are those of the values that can be read so.
func (g Values) Numbers() (out []float64) {
	for _, text := range g.Texts {
		if n, err := strconv.ParseFloat(text, 64); err == nil && n == n && n-n == 0 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

var memberName = lazy.Regexp(`"([^"\\]{1,80})"\s*:`)

// BearsSecret reports whether a body has a member that is named as secrets are.
func BearsSecret(body []byte) bool {
	for _, m := range memberName().FindAllSubmatch(body, 1000) {
		if exchange.Secret(exchange.Place("/body").Key(string(m[1]))) {
			return true
		}
	}
	return false
}
