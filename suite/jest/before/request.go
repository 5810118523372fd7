package before

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// Model is how a test sends a request, for others to be sent in the same way.
type Model struct {
	Axios  bool   // by axios; else by fetch
	Client string // fetch, axios, api
	// Before, Base and After are the expression of a URL around its path.
	Before, Base, After string
	Mount               string // the path that the base leads to
	Quote               string // how most texts of the file are quoted
}

// Request writes a request as the model is sent; false where it cannot be.
func (m Model) Request(x script.SetUpRequest) (prettier.Piece, bool) {
	quote := m.Quote
	url, ok := m.url(x.Target)
	sent := prettier.Piece{Text: m.Client + "(", Close: ")", Inner: []prettier.Piece{{Text: url}}}
	headers := prettier.Piece{Text: "{", Close: "}"}
	form := false
	for _, h := range x.Headers {
		if len(h.Value) == 1 && strings.EqualFold(h.Name, "content-type") {
			form = strings.HasPrefix(h.Value[0].Text, "application/x-www-form-urlencoded")
			if m.Axios && (form || strings.HasPrefix(h.Value[0].Text, "application/json")) {
				continue
			}
		}
		headers.Inner = append(headers.Inner, prettier.Piece{Text: key(h.Name, quote) + ": " + Text(h.Value, quote)})
	}
	options := prettier.Piece{Text: "{", Close: "}"}
	var body *prettier.Piece
	if len(x.Body) > 0 {
		item, isJSON := handset.JSON(x.Body)
		if !isJSON {
			item, isJSON = handset.Form(x.Body)
			ok = ok && isJSON && form
		}
		given := pieceOf("", item, quote)
		body = &given
		if form || !m.Axios {
			name := map[bool]string{true: "new URLSearchParams(", false: "JSON.stringify("}[form]
			body = &prettier.Piece{Text: name, Close: ")", Inner: []prettier.Piece{given}}
		}
	}
	if m.Axios {
		method := strings.ToLower(x.Method)
		sent.Text = m.Client + "." + method + "("
		takes := method == "post" || method == "put" || method == "patch"
		switch verb, _ := script.ClientMethod(method); {
		case verb == "" || !takes && body != nil:
			return sent, false
		case body != nil:
			sent.Inner = append(sent.Inner, *body)
		case takes && len(headers.Inner) > 0:
			sent.Inner = append(sent.Inner, prettier.Piece{Text: "undefined"})
		}
	} else {
		options.Inner = append(options.Inner, prettier.Piece{Text: "method: " + quoted(x.Method, quote)})
	}
	if len(headers.Inner) > 0 {
		headers.Text = "headers: {"
		options.Inner = append(options.Inner, headers)
	}
	if !m.Axios && body != nil {
		body.Text = "body: " + body.Text
		options.Inner = append(options.Inner, *body)
	}
	if len(options.Inner) > 0 && (x.Method != "GET" || len(headers.Inner) > 0) {
		sent.Inner = append(sent.Inner, options)
	}
	return sent, ok
}

// url writes a URL with another path.
func (m Model) url(target []script.TextPart) (string, bool) {
	target, ok := handset.BelowMount(target, m.Mount)
	if !ok {
		return "", false
	}
	text := Text(append([]script.TextPart{{}}, target...), m.Quote)
	if strings.HasPrefix(text, "`") || strings.Contains(m.Base, "${") {
		inner := text[1 : len(text)-1]
		return m.Before + "`" + m.Base + inner + "`" + m.After, !strings.HasPrefix(text, "`") == !slices.ContainsFunc(target, isVariable)
	}
	return m.Before + text[:1] + m.Base + text[1:] + m.After, true
}

func isVariable(p script.TextPart) bool { return p.Variable != "" }

// quoted writes a text.
func quoted(text, quote string) string {
	out := literal.JavaScript(text)
	if quote == "'" && !strings.ContainsAny(text, `'"\`) && !strings.Contains(out, `\`) {
		out = "'" + text + "'"
	}
	return out
}

// key writes the name of a member.
func key(name, quote string) string {
	if regexp.MustCompile(`^[A-Za-z_$][\w$]*$`).MatchString(name) {
		return name
	}
	return quoted(name, quote)
}

// Text writes a text of which parts are variables.
func Text(parts []script.TextPart, quote string) string {
	if len(parts) == 1 && parts[0].Variable != "" {
		return parts[0].Variable
	}
	plain, template, variable := "", "", false
	for _, p := range parts {
		if p.Variable != "" {
			variable = true
			template += "${" + p.Variable + "}"
			continue
		}
		plain += p.Text
		text := literal.JavaScript(p.Text)
		template += strings.NewReplacer("`", "\\`", "${", "\\${", `\"`, `"`).Replace(text[1 : len(text)-1])
	}
	if variable {
		return "`" + template + "`"
	}
	return quoted(plain, quote)
}

// pieceOf writes an item as JavaScript.
func pieceOf(name string, x handset.Item, quote string) prettier.Piece {
	switch x.Kind {
	case handset.Text:
		return prettier.Piece{Text: name + Text(x.Parts, quote)}
	case handset.Number, handset.Word:
		if x.Parts[0].Variable != "" {
			return prettier.Piece{Text: name + "Number(" + x.Parts[0].Variable + ")"}
		}
		return prettier.Piece{Text: name + x.Parts[0].Text}
	}
	out := prettier.Piece{Text: name + "[", Close: "]"}
	if x.Kind == handset.Object {
		out = prettier.Piece{Text: name + "{", Close: "}"}
	}
	for i, item := range x.Items {
		name := ""
		if x.Kind == handset.Object {
			name = key(x.Keys[i], quote) + ": "
		}
		out.Inner = append(out.Inner, pieceOf(name, item, quote))
	}
	return out
}
