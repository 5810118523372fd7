package suite

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// matchCalls finds for each call of a script the recorded step that it sent, by order: the tests ran one after the
// other, in the order of their names (as unittest and pytest have it) or of the file, and the recording may hold other
// files' exchanges before, between and after. A call that never came to be sent has no step.
func matchCalls(s *Script, steps []exchange.Step) map[*Call]*exchange.Step {
	inFile := slices.Clone(s.Tests)
	byName := slices.Clone(s.Tests)
	slices.SortStableFunc(byName, func(a, b *Test) int { return cmp.Compare(a.Name, b.Name) })
	a, worthA := align(sent(byName), steps)
	if slices.Equal(inFile, byName) {
		return dropUnreached(s, a)
	}
	b, worthB := align(sent(inFile), steps)
	if worthB > worthA {
		a = b
	}
	return dropUnreached(s, a)
}

// sameTarget compares the target that a suite writes with the one that was sent, which its client may have escaped
// further. A NUL in the former stands for anything.
func sameTarget(written, sent string) bool {
	path, query := exchange.SplitTarget(sent)
	if query != "" {
		path += "?" + query
	}
	written = strings.TrimSuffix(written, "?")
	if written == path {
		return true
	}
	a, errA := url.PathUnescape(written)
	b, errB := url.PathUnescape(path)
	if errA != nil || errB != nil {
		a, b = written, path
	}
	return globNUL(a, b)
}

// globNUL matches a text against a pattern in which a NUL stands for any text.
func globNUL(pattern, text string) bool {
	parts := strings.Split(pattern, "\x00")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// sameDepth reports whether a path that was resolved from a location can be the one sent: the generator fills what the
// location lacks of the template's segments from the template, so that the result has at least as many.
func sameDepth(template, sent string) bool {
	a, _ := exchange.SplitTarget(template)
	b, _ := exchange.SplitTarget(sent)
	return strings.Count(b, "/") >= strings.Count(a, "/")
}

// dropUnreached takes back the matches of calls that cannot have been sent: those after a line that reads what the
// answer did not have, and those whose path is not what the location resolves to.
func dropUnreached(s *Script, matched map[*Call]*exchange.Step) map[*Call]*exchange.Step {
	for _, t := range s.Tests {
		names := scopeOf(t, matched, recordedRun)
		end := len(s.lines) + 1
		for _, set := range t.setters {
			if r, ok := names[set.name].(pyRaised); ok && errors.Is(r.err, errRaised) {
				end = min(end, r.line)
			}
		}
		for _, c := range t.Calls {
			step := matched[c]
			if step == nil {
				continue
			}
			location, known := names[c.Location].(string)
			if c.Line > end || known && !sameTarget(resolve(location, c.Target), step.Exchange.Request.Target) {
				delete(matched, c)
			}
		}
	}
	return matched
}

// resolve is the generator's resolve_location as far as the path goes: the location's path, with what the template has
// beyond its length; the template where there is no location.
func resolve(location, template string) string {
	if location == "" {
		return template
	}
	path, _ := exchange.SplitTarget(location)
	have := strings.Count(path, "/")
	for i, segment := range strings.Split(template, "/") {
		if i > have {
			path += "/" + segment
		}
	}
	return path
}

// recordedRun is the number under which the recording itself stands among its runs.
const recordedRun = 0

// pyRaised is the value of a variable whose assignment raises an exception.
type pyRaised struct {
	err  error
	line int
}

// scopeOf returns the names of a test as they were in one run: the answers, and what was taken from them.
func scopeOf(t *Test, matched map[*Call]*exchange.Step, run int) scope {
	names := make(scope)
	for _, c := range t.Calls {
		step := matched[c]
		if step == nil {
			continue
		}
		if run == recordedRun {
			names[c.Var] = &answer{response: step.Exchange.Response}
		}
		for _, o := range step.Observations {
			if o.Run == run && run != recordedRun {
				names[c.Var] = &answer{response: o.Response}
			}
		}
	}
	for _, set := range t.setters {
		v, err := names.eval(set.x)
		if err != nil {
			v = pyRaised{err, set.stmt.first}
		}
		names[set.name] = v
	}
	return names
}

// runsOf lists the runs that a source has observations of, the recording first.
func runsOf(steps []exchange.Step) []int {
	seen := map[int]bool{recordedRun: true}
	for _, s := range steps {
		for _, o := range s.Observations {
			seen[o.Run] = true
		}
	}
	runs := make([]int, 0, len(seen))
	for r := range seen {
		runs = append(runs, r)
	}
	slices.Sort(runs)
	return runs
}
