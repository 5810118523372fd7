package expr

import (
	"regexp"
	"strings"
)

// linksOf reads the header Link of an answer's headers; where there is none, there are no links.
func linksOf(v any) (any, error) {
	of, ok := v.(headers)
	if !ok {
		return nil, NotKnown("links of what are no headers")
	}
	text, _ := of.header("link")
	return parsedLinks(text), nil
}

// around is what requests takes off a name and a value.
const around = ` '"`

// parsedLinks takes the links of a header apart as requests does, by their relations: of two of one, the last; of one
// that has none, its url is the name.
func parsedLinks(text string) map[string]any {
	out := map[string]any{}
	if text = strings.Trim(text, around); text == "" {
		return out
	}
	for _, one := range regexp.MustCompile(`, *<`).Split(text, -1) {
		url, params, _ := strings.Cut(one, ";")
		link := map[string]any{"url": strings.Trim(url, "<>"+around)}
		for _, param := range strings.Split(params, ";") {
			pair := strings.Split(param, "=")
			if len(pair) != 2 {
				break
			}
			link[strings.Trim(pair[0], around)] = strings.Trim(pair[1], around)
		}
		name, _ := link["rel"].(string)
		if name == "" {
			name, _ = link["url"].(string)
		}
		out[name] = link
	}
	return out
}

// LinkOf returns the headers of the link of which an expression reads the url or a parameter; ok is false for any
// other.
func LinkOf(x Expr) (of Answer, ok bool) {
	part, _ := x.(Index)
	link, _ := part.X.(Index)
	links, isLinks := link.X.(Links)
	_, named := part.I.(Str)
	_, related := link.I.(Str)
	of, isAnswer := links.X.(Answer)
	return of, isLinks && named && related && isAnswer && of.Part == Headers
}
