package search

import (
	"fmt"
	"maps"
	"strings"

	"github.com/flaketap/flaketap/mock/search/lines"
)

// headers adds answers whose head leads on, where the API's files speak of it: a page to which Link leads (RFC 8288),
// pages that never end, and an answer that is not sent again as its ETag is known (RFC 9110 §8.8.3); and those with a
// header that the files look up.
func (h *hunt) headers(l *lister, current Answer) {
	if h.words.has("link") || h.words.has("links") && h.words.has("next") {
		linked := current.headed("Link", "<"+h.known.page(l.endpoint, "2")+`>; rel="next"`)
		l.add(sequence, 0, "a next page", linked.then(current))
		l.add(failure, 2, "pages without end", linked)
	}
	if h.words.has("etag") || h.words.has("If-None-Match") {
		l.add(sequence, 0, "then unchanged", current.headed("ETag", `"1"`).then(Answer{Status: 304}))
		l.add(failure, 2, "status 304", Answer{Status: 304})
	}
	h.lookups(l, current)
}

// lookups adds the headers that the files look up, each to a good answer where the request goes well, and to one
// failure: once, unless something new comes of it.
func (h *hunt) lookups(l *lister, current Answer) {
	if !l.base.answered(l.endpoint) || l.base.sight.status >= 400 {
		return
	}
	for _, header := range h.words.headers() {
		later := 0
		if !header.compared {
			later = perHeader
		}
		add := func(turn int, value string, a Answer) {
			gene := fmt.Sprint("header ", header.name, ": ", value, " with ", a.Status)
			l.add(constant, turn+later, gene, a.headed(header.name, value)).once = true
		}
		for i, v := range header.values {
			add(i, v, current)
		}
		add(perHeader, header.values[0], Answer{Status: header.failing})
	}
}

// has reports whether a word stands in the files, however it is written.
func (w *Words) has(word string) bool { return w != nil && len(w.lines[lines.Key(word)]) > 0 }

// page is the URL of a page of what an endpoint answers.
func (k *knowledge) page(e Endpoint, number string) string {
	scheme, at := "http", strings.TrimSuffix(e.Service, ":80")
	if k.secure[e.Service] {
		scheme, at = "https", strings.TrimSuffix(e.Service, ":443")
	}
	return scheme + "://" + at + strings.ReplaceAll(e.Path, "{}", "1") + "?page=" + number
}

// unheaded is the answer without a header field.
func (a Answer) unheaded(name string) Answer {
	a.Header = maps.Clone(a.Header)
	delete(a.Header, name)
	return a
}
