package handset

import (
	"encoding/json"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Kind is what an [Item] is.
type Kind uint8

// The kinds of items.
const (
	Text Kind = iota
	Number
	Word // true, false, null
	Object
	Array
)

// Item is a JSON value, its members in order, in which variables may stand.
type Item struct {
	Kind  Kind
	Parts []script.TextPart // of a text, a number or a word; the variable of a number holds its text
	Keys  []string          // of an object
	Items []Item
}

// firstMark begins the numbers that stand for variables while JSON is read: they may stand as numbers and in texts.
const firstMark = 904830267140000

// marked is a text with numbers in the place of its variables; false where it has such a number already.
func marked(parts []script.TextPart) (text string, variables map[string]string, ok bool) {
	var b strings.Builder
	variables = map[string]string{}
	for _, p := range parts {
		if p.Variable == "" {
			if strings.Contains(p.Text, strconv.Itoa(firstMark/10000)) {
				return "", nil, false
			}
			b.WriteString(p.Text)
			continue
		}
		mark := strconv.Itoa(firstMark + len(variables))
		variables[mark] = p.Variable
		b.WriteString(mark)
	}
	return b.String(), variables, len(variables) < 10000
}

// unmarked is a text with its variables.
func unmarked(text string, variables map[string]string) []script.TextPart {
	var out []script.TextPart
	n := len(strconv.Itoa(firstMark))
	from := 0
	for i := 0; i+n <= len(text); i++ {
		if v, ok := variables[text[i:i+n]]; ok {
			if i > from {
				out = append(out, script.TextPart{Text: text[from:i]})
			}
			out = append(out, script.TextPart{Variable: v})
			i += n - 1
			from = i + 1
		}
	}
	if from < len(text) || len(out) == 0 {
		out = append(out, script.TextPart{Text: text[from:]})
	}
	return out
}

// JSON reads a body that is an object or an array; false where it is none.
func JSON(parts []script.TextPart) (Item, bool) {
	text, variables, ok := marked(parts)
	if !ok || !json.Valid([]byte(text)) {
		return Item{}, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	x, ok := read(d, variables, script.MaxDepth)
	if _, err := d.Token(); !ok || err != io.EOF || x.Kind != Object && x.Kind != Array {
		return Item{}, false
	}
	return x, true
}

func read(d *json.Decoder, variables map[string]string, depth int) (Item, bool) {
	token, err := d.Token()
	if err != nil || depth == 0 {
		return Item{}, false
	}
	switch t := token.(type) {
	case string:
		return Item{Kind: Text, Parts: unmarked(t, variables)}, true
	case json.Number:
		return Item{Kind: Number, Parts: unmarked(t.String(), variables)}, true
	case bool:
		return Item{Kind: Word, Parts: []script.TextPart{{Text: strconv.FormatBool(t)}}}, true
	case nil:
		return Item{Kind: Word, Parts: []script.TextPart{{Text: "null"}}}, true
	}
	x := Item{Kind: Array}
	if token == json.Delim('{') {
		x.Kind = Object
	}
	for d.More() {
		if x.Kind == Object {
			key, err := d.Token()
			name, ok := key.(string)
			if err != nil || !ok || len(unmarked(name, variables)) > 1 || unmarked(name, variables)[0].Variable != "" {
				return Item{}, false
			}
			x.Keys = append(x.Keys, name)
		}
		item, ok := read(d, variables, depth-1)
		if !ok {
			return Item{}, false
		}
		x.Items = append(x.Items, item)
	}
	_, err = d.Token()
	return x, err == nil
}

// Form reads a body that is the fields of a form; false where it is none, or a field has several values.
func Form(parts []script.TextPart) (Item, bool) {
	text, variables, ok := marked(parts)
	if !ok || text == "" {
		return Item{}, false
	}
	x, seen := Item{Kind: Object}, map[string]bool{}
	for pair := range strings.SplitSeq(text, "&") {
		key, value, ok := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(key)
		plain, errValue := url.QueryUnescape(value)
		if !ok || err != nil || errValue != nil || seen[name] || unmarked(name, variables)[0].Variable != "" {
			return Item{}, false
		}
		seen[name] = true
		x.Keys = append(x.Keys, name)
		x.Items = append(x.Items, Item{Kind: Text, Parts: unmarked(plain, variables)})
	}
	return x, true
}
