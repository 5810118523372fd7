package before

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/black"
	"github.com/flaketap/flaketap/suite/script"
)

// Model is how a test sends a request, for others to be sent in the same way.
type Model struct {
	Client string // requests, self.session
	Awaits string // "await "
	// Before, Base and After are the expression of a URL around its path: url(, a text, )
	Before, Base, After string
	Mount               string   // the path that the base leads to
	Further             []string // arguments of each request: timeout=5
}

// Source is all of the test's source that a request by the model speaks of.
func (m Model) Source() string {
	return strings.Join(append([]string{m.Client, m.Before + m.Base + m.After}, m.Further...), " ")
}

// Call writes a request as the model is sent; false where it cannot be.
func (m Model) Call(x script.SetUpRequest) (black.Piece, bool) {
	url, ok := m.URL(x.Target)
	sent := black.Piece{Text: m.Client + "." + strings.ToLower(x.Method) + "(", Close: ")", Call: true}
	if _, known := script.ClientMethod(strings.ToLower(x.Method)); !known {
		sent.Text = m.Client + ".request("
		sent.Inner = append(sent.Inner, black.Piece{Text: literal.Python(x.Method)})
	}
	sent.Inner = append(sent.Inner, black.Piece{Text: url})
	headers, kind := black.Piece{Text: "headers={", Close: "}"}, ""
	for _, h := range x.Headers {
		if strings.EqualFold(h.Name, "content-type") && len(h.Value) == 1 {
			kind, _, _ = strings.Cut(h.Value[0].Text, ";")
			if kind = strings.TrimSpace(kind); kind == "application/json" || kind == "application/x-www-form-urlencoded" {
				continue
			}
		}
		headers.Inner = append(headers.Inner, black.Piece{Text: literal.Python(h.Name) + ": " + textOfParts(h.Value)})
	}
	switch body, isJSON := handset.JSON(x.Body); {
	case len(x.Body) == 0:
	case isJSON && (kind == "application/json" || strings.HasSuffix(kind, "+json")):
		sent.Inner = append(sent.Inner, pieceOf("json=", body))
	default:
		form, isForm := handset.Form(x.Body)
		ok = ok && isForm && kind == "application/x-www-form-urlencoded"
		sent.Inner = append(sent.Inner, pieceOf("data=", form))
	}
	if len(headers.Inner) > 0 {
		sent.Inner = append(sent.Inner, headers)
	}
	for _, f := range m.Further {
		sent.Inner = append(sent.Inner, black.Piece{Text: f})
	}
	return sent, ok
}

// Sent are the statements that give a variable the answer to a request; where that has a look, the answer to the look,
// unless that finds nothing. status is the expression of its status.
func (m Model) Sent(x script.SetUpRequest, status string, width int) []string {
	assigned := x.Var + " = " + m.Awaits
	sent, _ := m.Call(x)
	if x.Look == nil {
		return sent.Lines(assigned, "", width)
	}
	look, _ := m.Call(*x.Look)
	const indent = "    "
	lines := look.Lines(assigned, "", width)
	return append(lines, Under(fmt.Sprintf("if %s != %d:", status, x.Look.Status),
		sent.Lines(assigned, "", width-len(indent)))...)
}

// URL writes a URL with another path.
func (m Model) URL(target []script.TextPart) (string, bool) {
	target, ok := handset.BelowMount(target, m.Mount)
	if !ok {
		return "", false
	}
	text := m.Base
	format := strings.Contains(m.Base, "{")
	for _, p := range target {
		format = format || p.Variable != ""
	}
	for _, p := range target {
		if p.Variable != "" {
			text += "{" + p.Variable + "}"
			continue
		}
		plain := literal.Python(p.Text)
		plain = plain[1 : len(plain)-1]
		if format {
			plain = strings.NewReplacer("{", "{{", "}", "}}").Replace(plain)
		}
		text += plain
	}
	quote := `"`
	if strings.Contains(m.Base, quote) {
		quote = "'"
	}
	if format {
		quote = "f" + quote
	}
	return m.Before + quote + text + quote[len(quote)-1:] + m.After, true
}

// Choice writes that a variable holds what is taken from an answer, or another text where the answer has not the
// status.
func Choice(k script.Capture, taken, status string, width int) []string {
	yes, no := fmt.Sprintf("if %s == %d", status, k.If), "else "+literal.Python(k.Otherwise)
	flat := taken + " " + yes + " " + no
	switch {
	case len(k.Name+" = "+flat) <= width:
		return []string{k.Name + " = " + flat}
	case len("    "+flat) <= width:
		return []string{k.Name + " = (", "    " + flat, ")"}
	}
	return []string{k.Name + " = (", "    " + taken, "    " + yes, "    " + no, ")"}
}

// Under are lines that stand under a condition.
func Under(condition string, lines []string) []string {
	out := []string{condition}
	for _, line := range lines {
		out = append(out, "    "+line)
	}
	return out
}

// textOfParts writes a text of which parts are variables.
func textOfParts(parts []script.TextPart) string {
	if len(parts) == 1 && parts[0].Variable != "" {
		return parts[0].Variable
	}
	url, _ := Model{}.URL(parts)
	if len(parts) > 0 && parts[0].Variable != "" {
		url, _ = Model{}.URL(append([]script.TextPart{{}}, parts...))
	}
	return url
}

// pieceOf writes an item as Python.
func pieceOf(name string, x handset.Item) black.Piece {
	switch x.Kind {
	case handset.Text:
		return black.Piece{Text: name + textOfParts(x.Parts)}
	case handset.Number:
		if x.Parts[0].Variable != "" {
			return black.Piece{Text: name + "int(" + x.Parts[0].Variable + ")"}
		}
		return black.Piece{Text: name + x.Parts[0].Text}
	case handset.Word:
		return black.Piece{Text: name + map[string]string{"true": "True", "false": "False", "null": "None"}[x.Parts[0].Text]}
	}
	out := black.Piece{Text: name + "[", Close: "]"}
	if x.Kind == handset.Object {
		out = black.Piece{Text: name + "{", Close: "}"}
	}
	for i, item := range x.Items {
		key := ""
		if x.Kind == handset.Object {
			key = literal.Python(x.Keys[i]) + ": "
		}
		out.Inner = append(out.Inner, pieceOf(key, item))
	}
	return out
}
