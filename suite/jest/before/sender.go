package before

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// Sender writes the statements of a set-up.
type Sender struct {
	Model
	Layout  prettier.Layout
	Expects bool // statuses are asserted by Jest's expect
	Comment func(text string) string
	Spelled func(text string) string // with the quotes and the brackets of the file
	Given   []string                 // variables that are declared elsewhere, and only given a value here
}

// Steps are the statements that send what goes before a test.
func (s Sender) Steps(steps []script.SetUpRequest) (lines []string) {
	for _, x := range steps {
		if x.Comment != "" {
			lines = append(lines, s.Comment(x.Comment))
		}
		lines = append(lines, s.sent(x)...)
		if x.Status != 0 {
			lines = append(lines, s.Comment(script.SetUpMustSucceed), s.succeeds(x)+s.Layout.End)
		}
		lines = append(lines, s.captures(x)...)
	}
	return s.spelled(lines)
}

// spelled are lines with the quotes and the brackets of the file.
func (s Sender) spelled(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return strings.Split(s.Spelled(strings.Join(lines, "\n")), "\n")
}

// sent are the statements that give a variable the answer to a request; where that has a look, the answer to the look,
// unless that finds nothing.
func (s Sender) sent(x script.SetUpRequest) []string {
	if x.Look == nil {
		return s.assigned(x, s.declares(x.Var)+" = await ")
	}
	look := *x.Look
	look.Status = 0 // what it is not needs no error
	declared := strings.Replace(s.declares(x.Var), "const ", "let ", 1)
	lines := append(s.assigned(look, declared+" = await "),
		fmt.Sprintf("if (%s.status !== %d) {", x.Var, x.Look.Status))
	s.Layout.Indent += s.Layout.Unit
	for _, line := range s.assigned(x, x.Var+" = await ") {
		lines = append(lines, s.Layout.Unit+line)
	}
	return append(lines, "}")
}

// assigned is the statement that sends a request and gives its answer to what stands before it.
func (s Sender) assigned(x script.SetUpRequest, before string) []string {
	sent, _ := s.Request(x)
	if s.Axios && x.Status == 0 {
		sent.Close += ".catch((error) => error.response)"
	}
	return s.Layout.Lines(sent, before, s.Layout.End, 0)
}

// Missing are the statements of Steps, under the condition that one of the variables which they give a value has none,
// where they give some.
func (s Sender) Missing(steps []script.SetUpRequest) []string {
	var none []string
	for _, x := range steps {
		for _, k := range x.Captures {
			if k.Into != "" {
				none = append(none, "!"+k.Into)
			}
		}
	}
	if len(none) == 0 {
		return s.Steps(steps)
	}
	steps = slices.Clone(steps)
	lines := []string{s.Comment(steps[0].Comment), "if (" + strings.Join(none, " || ") + ") {"}
	steps[0].Comment = ""
	s.Layout.Indent += s.Layout.Unit
	for _, line := range s.Steps(steps) {
		lines = append(lines, s.Layout.Unit+line)
	}
	return append(lines, "}")
}

// CleanUp are the statements of a finally that take away what was made.
func (s Sender) CleanUp(clean []script.SetUpRequest) (lines []string) {
	for _, x := range clean {
		sent, _ := s.Request(x)
		if s.Axios {
			sent.Close += ".catch(() => {})"
		}
		lines = append(lines, s.Layout.Taken(sent, x.Made, x.MadeBy)...)
	}
	return s.spelled(lines)
}

// declares is a variable, declared unless it is elsewhere.
func (s Sender) declares(name string) string {
	if slices.Contains(s.Given, name) {
		return name
	}
	return "const " + name
}

// succeeds asserts the status of a request.
func (s Sender) succeeds(x script.SetUpRequest) string {
	if s.Expects {
		return fmt.Sprintf("expect(%s.status).toBe(%d)", x.Var, x.Status)
	}
	return fmt.Sprintf("if (%s.status !== %d) throw new Error(`the set-up was answered ${%s.status}`)", x.Var, x.Status, x.Var)
}

// header is how a header of an answer is read.
func (m Model) header(name string) string {
	if m.Axios {
		return ".headers[" + literal.JavaScript(name) + "]"
	}
	return ".headers.get(" + literal.JavaScript(name) + ")"
}

// captures keeps what is taken from an answer. What fetch gives can be read once.
func (s Sender) captures(x script.SetUpRequest) []string {
	var out []string
	body := x.Var + ".data"
	inBody := 0
	for _, k := range x.Captures {
		if len(k.Place.Segments()) > 1 && k.Place.Root() == "body" {
			inBody++
		}
	}
	if !s.Axios {
		if body = "(await " + x.Var + ".json())"; inBody > 1 {
			read := "await " + x.Var + ".json()"
			if x.Captures[0].If != 0 { // what refuses it may be no JSON
				read = fmt.Sprintf("%s.status === %d ? %s : null", x.Var, x.Captures[0].If, read)
			}
			out = append(out, "const "+x.Var+"_body = "+read+s.Layout.End)
			body = x.Var + "_body"
		}
	}
	for _, k := range x.Captures {
		header := func(name string) string { return x.Var + s.header(name) }
		text := "String(" + body + js.Steps(k.Steps) + ")"
		if k.Into != "" {
			text = body + js.Steps(k.Steps)
		}
		switch at := k.Place.Segments(); {
		case k.Place == exchange.PlaceBody && !s.Axios:
			text = "(await " + x.Var + ".text()).trim()"
		case k.Place == exchange.PlaceBody:
			text = "String(" + body + ").trim()"
		case at[0] == "header" && len(at) == 4:
			n, _ := strconv.Atoi(at[3])
			text = fmt.Sprintf("new URL(%s, \"http://localhost\").pathname.split(\"/\")[%d]", header(at[1]), n+1)
		case at[0] == "header":
			text = header(at[1])
		}
		if k.If == 0 {
			out = append(out, s.declares(k.Name)+" = "+text+s.Layout.End)
		} else {
			out = append(out, s.choice(x, k, text)...)
		}
		if k.Into != "" {
			out = append(out, k.Into+" = "+k.Name+s.Layout.End)
		}
	}
	return out
}

// choice takes a value from an answer of the status that it is in.
func (s Sender) choice(x script.SetUpRequest, k script.Capture, taken string) []string {
	otherwise := Text([]script.TextPart{{Text: k.Otherwise}}, s.Quote)
	choice := s.Layout.Choice(k.Name, fmt.Sprintf("%s.status === %d", x.Var, k.If), taken, otherwise)
	choice[0] = s.declares(k.Name) + strings.TrimPrefix(choice[0], "const "+k.Name)
	return choice
}
