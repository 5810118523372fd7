package approval

import (
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// Call is such a call.
type Call struct {
	Name   string           // of the method: "verify", "verifyJson", "verifyAsJson"
	Scrubs []snapshot.Scrub // that it has
	Other  bool             // it has arguments that are not known: options of the suite's own
	Value  string           // the source of what it compares
	called string           // the source of what is called
}

// classes are those of the methods.
func classes() map[string]string {
	return map[string]string{"verify": packageName + ".Approvals", "verifyJson": packageName + ".JsonApprovals",
		"verifyAsJson": packageName + ".JsonApprovals"}
}

const packageName = "org.approvaltests"

// Read reads a call of a file; false where it is of another method. source is how tokens are written, and from where
// the call begins.
func Read(c java.Call, file *java.File, source func(from, to int) string, from int) (*Call, bool) {
	class := classes()[c.Name]
	if class == "" || len(c.Args) == 0 || !isOf(c.X, class, c.Name, file) {
		return nil, false
	}
	out := &Call{Name: c.Name, Value: source(c.Args[0].From, c.Args[0].To)}
	out.called = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(source(from, c.Args[0].From)), "("))
	if len(c.Args) > 1 {
		scrubs, ok := optionsOf(c.Args[1].X)
		out.Scrubs, out.Other = scrubs, !ok || len(c.Args) > 2
	}
	return out, true
}

// isOf reports whether a method is of a class, whose name is written before it, or that is imported with it.
func isOf(x java.Node, class, method string, file *java.File) bool {
	switch x := x.(type) {
	case nil:
		name := class + "." + method
		return file.Has("static "+name) || file.Has(name) // as Kotlin has it
	case java.Name:
		return class == packageName+"."+x.ID && file.Has(class)
	case java.Field:
		of, _ := x.X.(java.Field)
		return class == packageName+"."+x.Name && of.Name == "approvaltests"
	}
	return false
}

// OfValue reports whether it compares the JSON of a value, and not a text.
func (c *Call) OfValue() bool { return c.Name == "verifyAsJson" }

// Ends is what the name of the approved file ends with.
func (c *Call) Ends() string {
	if c.Name == "verify" {
		return ".approved.txt"
	}
	return ".approved.json"
}

// Sparse reports whether the text is printed by Gson, which leaves out members that are null.
func (c *Call) Sparse() bool { return c.Name != "verify" }

// optionsOf reads new Options(…) and new Options().withScrubber(…); false where options are others, or scrub otherwise.
func optionsOf(x java.Node) ([]snapshot.Scrub, bool) {
	c, _ := x.(java.Call)
	if c.Name == "withScrubber" && len(c.Args) == 1 {
		of, _ := c.X.(java.Call)
		if of.Name != "Options" || len(of.Args) > 0 {
			return nil, false
		}
		return scrubsOf(c.Args[0].X)
	}
	if c.Name != "Options" || len(c.Args) > 1 {
		return nil, false
	}
	if len(c.Args) == 0 {
		return nil, true
	}
	return scrubsOf(c.Args[0].X)
}

// scrubsOf reads new RegExScrubber(pattern, text), and several of them in Scrubbers.scrubAll.
func scrubsOf(x java.Node) ([]snapshot.Scrub, bool) {
	c, _ := x.(java.Call)
	if c.Name != "scrubAll" {
		one, ok := scrubOf(c)
		return []snapshot.Scrub{one}, ok
	}
	var out []snapshot.Scrub
	for _, a := range c.Args {
		by, _ := a.X.(java.Call)
		one, ok := scrubOf(by)
		if !ok {
			return nil, false
		}
		out = append(out, one)
	}
	return out, true
}

func scrubOf(c java.Call) (snapshot.Scrub, bool) {
	if c.Name != "RegExScrubber" || len(c.Args) != 2 {
		return snapshot.Scrub{}, false
	}
	pattern, ok := written(c.Args[0].X)
	instead, too := written(c.Args[1].X)
	return snapshot.Scrub{Pattern: pattern, Instead: instead}, ok && too
}

// written is a text that is written out.
func written(x java.Node) (string, bool) {
	text, ok := x.(java.Text)
	if !ok || len(text.Token.Parts) > 1 {
		return "", false
	}
	return text.Token.Text, true
}
