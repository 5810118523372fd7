package before

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/script"
)

// laid lays the links of a chain out, as google-java-format and ktfmt do: on one line, behind a line that ends in =, or
// each on its own.
func (f *File) laid(declares string, links []string, end, further string, width int) []string {
	all := strings.Join(links, "") + end
	if len(declares+all) <= width {
		return []string{declares + all}
	}
	var out []string
	indent := ""
	if declares != "" {
		out, indent = []string{strings.TrimSuffix(declares, " ")}, further
		if len(indent+all) <= width {
			return append(out, indent+all)
		}
	}
	for i, l := range links {
		if i == len(links)-1 {
			l += end
		}
		for _, line := range f.broken(l, further, width-len(indent), script.MaxDepth) {
			out = append(out, indent+line)
		}
		if i == 0 {
			indent += further
		}
	}
	return out
}

// broken breaks a call that is too long for a line behind its bracket.
func (f *File) broken(call, further string, width, depth int) []string {
	open, text := strings.IndexByte(call, '('), strings.IndexByte(call, '"')
	end := strings.LastIndexByte(call, ')')
	if len(call) <= width || open < 0 || text >= 0 && text < open || depth == 0 || end <= open+1 {
		return []string{call}
	}
	head, rest, last := call[:open+1], call[open+1:], ""
	if f.Kotlin {
		rest, last = call[open+1:end], call[end:]
	}
	out := []string{head}
	for _, line := range f.broken(rest, further, width-len(further), depth-1) {
		out = append(out, further+line)
	}
	if f.Kotlin {
		out = append(out, last)
	}
	return out
}

// text writes a text of which parts are variables.
func (f *File) text(parts []script.TextPart) string {
	if f.Kotlin {
		return f.template(parts)
	}
	var out []string
	for _, p := range parts {
		switch {
		case p.Variable != "":
			out = append(out, p.Variable)
		case p.Text != "" || len(parts) == 1:
			out = append(out, literal.Java(p.Text))
		}
	}
	return strings.Join(out, " + ")
}

// template writes a text as Kotlin does, as it is where it has quotes.
func (f *File) template(parts []script.TextPart) string {
	if len(parts) == 1 && parts[0].Variable != "" {
		return parts[0].Variable
	}
	text, raw := "", ""
	for _, p := range parts {
		if p.Variable != "" {
			text += "${" + p.Variable + "}"
			raw += "${" + p.Variable + "}"
			continue
		}
		quoted := literal.Kotlin(p.Text)
		text += quoted[1 : len(quoted)-1]
		raw += p.Text
		if strings.ContainsAny(p.Text, "$\r\n\t\\") || strings.Contains(p.Text, `"""`) {
			raw = script.Unknown
		}
	}
	if strings.Contains(raw, `"`) && !strings.Contains(raw, script.Unknown) && !strings.HasSuffix(raw, `"`) && raw[0] != '"' {
		return `"""` + unbraced(raw) + `"""`
	}
	return `"` + unbraced(text) + `"`
}

// unbraced leaves out the braces around variables of set-ups that stand alone, as ktlint does.
func unbraced(template string) string {
	alone := regexp.MustCompile(`\$\{((?:` + script.SetUpPrefix + `|` + script.FreshPrefix + `)\w+)\}(\W|$)`)
	return alone.ReplaceAllString(template, "$$$1$2")
}

// compact is the text of JSON, without the blanks that it may have.
func compact(x handset.Item) []script.TextPart {
	text := func(s string) []script.TextPart { return []script.TextPart{{Text: s}} }
	var out []script.TextPart
	switch x.Kind {
	case handset.Text:
		out = text(`"`)
		for _, p := range x.Parts {
			if quoted := literal.JSON(p.Text); p.Variable == "" {
				p.Text = quoted[1 : len(quoted)-1]
			}
			out = append(out, p)
		}
		return joined(append(out, text(`"`)...))
	case handset.Number, handset.Word:
		return x.Parts
	}
	marks := "[]"
	if x.Kind == handset.Object {
		marks = "{}"
	}
	out = text(marks[:1])
	for i, item := range x.Items {
		if i > 0 {
			out = append(out, text(", ")...)
		}
		if x.Kind == handset.Object {
			out = append(out, text(literal.JSON(x.Keys[i])+": ")...)
		}
		out = append(out, compact(item)...)
	}
	return joined(append(out, text(marks[1:])...))
}

// joined puts texts that stand side by side into one.
func joined(parts []script.TextPart) []script.TextPart {
	var out []script.TextPart
	for _, p := range parts {
		if n := len(out); n > 0 && p.Variable == "" && out[n-1].Variable == "" {
			out[n-1].Text += p.Text
		} else {
			out = append(out, p)
		}
	}
	return out
}
