package flaky

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// lookups are the words by which runners and libraries say that a member was asked for and is not there: what stands
// before its name, and what behind it.
func lookups() [][2]string {
	return [][2]string{
		{"KeyError: '", "'"},                 // Python
		{"to have property '", "'"},          // Chai
		{"Expected path: \"", "\""},          // Jest
		{"JSON path ", " doesn't match"},     // REST Assured
		{"No results for path: $['", "']"},   // Jayway's JsonPath
		{"JSONObject[\"", "\"] not found"},   // org.json
		{"Key ", " is missing in the map"},   // Kotlin
		{"No such property: ", " for class"}, // Groovy
	}
}

// maxName bounds the names that are looked for, in bytes.
const maxName = 100

// lookedUp lists the members that a failure says were asked for and not there: of paths, what they end in.
func lookedUp(trace string) []string {
	var out []string
	for _, form := range lookups() {
		for rest := trace; ; {
			_, after, found := strings.Cut(rest, form[0])
			if !found {
				break
			}
			rest = after
			name, _, closed := strings.Cut(after[:min(len(after), maxName)], form[1])
			name = name[strings.LastIndexAny(name, ".]")+1:]
			if closed && name != "" && !strings.ContainsAny(name, " \n") && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// misspelt lists the members that a test asks for and no answer has, in the recording or any run: the line that failed
// has the name as it is, and its runner says that it is not there. No answer that was seen can satisfy that.
func (in *Input) misspelt(t *Test, line failedLine, where string) []report.FlakeCause {
	if len(in.Judged.Steps) == 0 {
		return nil
	}
	var asked []string
	for _, r := range t.failures() {
		for _, name := range lookedUp(r.Trace) {
			if literally(line.line, name) && !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
		}
	}
	if len(asked) == 0 {
		return nil
	}
	known := in.members()
	var out []report.FlakeCause
	for _, name := range asked {
		if _, had := slices.BinarySearch(known, name); had {
			continue
		}
		out = append(out, report.FlakeCause{Known: report.KnownByMessage, Where: where, Statement: in.text(line.line),
			Finding: string(suite.GeneratorBug), Category: mapfile.GenErr, Values: []report.FlakeValue{},
			Reason: fmt.Sprintf("it asks for the member %q, which no answer ever had%s", in.text(name), meant(name, known))})
	}
	return out
}

// meant is the member that a name was probably meant to be.
func meant(name string, known []string) string {
	if near := console.Nearest(name, known); near != "" {
		return fmt.Sprintf("; %q is one that some have", near)
	}
	return ""
}

// literally reports whether a line of code has a name as a text or as a member.
func literally(line, name string) bool {
	for _, around := range [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {".", `"`}, {".", "'"}} {
		if strings.Contains(line, around[0]+name+around[1]) {
			return true
		}
	}
	return false
}

// members are the names of all members and headers that answers had, in their order.
func (in *Input) members() []string {
	if in.names != nil {
		return in.names
	}
	out := map[string]bool{}
	read := func(r *exchange.Response) {
		compare.Walk(r, func(p exchange.Place, _ string) {
			for _, part := range p.Segments() {
				out[part] = true
			}
		})
	}
	for _, s := range in.Judged.Steps {
		read(s.Exchange.Response)
		for _, o := range s.Observations {
			read(o.Response)
		}
	}
	for _, e := range in.Added {
		read(e.Response)
	}
	for _, op := range in.Judged.Map.Operations {
		for _, f := range op.Fields {
			for _, part := range f.Place.Segments() {
				out[part] = true
			}
		}
	}
	in.names = slices.Sorted(maps.Keys(out))
	return in.names
}
