package junit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// lambda goes through a lambda, or the block of an if that is a value. A function of a library may be put in where it
// is called, so that no stack shows it: what is given to one that flaketap does not know is marked.
func (f *file) lambda(open int, in place, calls []call) {
	end := f.Match[open]
	from := open + 1
	for from < end && (f.Tokens[from].Kind == java.NameToken || f.Tokens[from].Is(",")) {
		from++
	}
	if from < end && f.Tokens[from].Is("->") {
		from++
	} else {
		from = open + 1
	}
	next := end + 1
	in.result = in.used || in.result || next < len(f.Tokens) && !f.Tokens[next].Is(";")
	in.asserts, in.used, in.may = false, false, false
	if name := f.givenTo(open, calls); f.own[name] || slices.Contains(runsThere(), name) || !f.mayAssert(from, end) {
		f.block(from, end, in)
		return
	}
	in.caught = true
	f.marks(f.Tokens[from-1].End, f.Tokens[end].Start, func() { f.block(from, end, in) })
}

// runsThere are functions, and keywords, that run what they are given at once, and let pass what it throws.
func runsThere() []string {
	return []string{"if", "else", "let", "run", "with", "apply", "also", "use", "repeat", "synchronized", "forEach", "forEachIndexed",
		"onEach", "map", "mapIndexed", "mapNotNull", "flatMap", "associate", "associateWith", "fold", "buildList", "buildMap",
		"measureTimeMillis", "measureTime", "measureTimedValue", "runBlocking", "runTest", "coroutineScope", "withContext", "withTimeout",
		"Given", "When", "Then", "Extract"}
}

// givenTo names the function that a lambda is given to; "" where that is not to be seen.
func (f *file) givenTo(open int, calls []call) string {
	if open == 0 {
		return ""
	}
	switch t := &f.Tokens[open-1]; {
	case t.Kind == java.NameToken:
		return t.Text
	case t.Is(")"):
		at := f.opens[open-1]
		if at > 0 && f.Tokens[at-1].Is("if") {
			return "if"
		}
		return f.Tokens[f.callee(at)].Text
	case t.Is(">"):
		return f.Tokens[f.callee(open)].Text
	case (t.Is("(") || t.Is(",") || t.Is(":")) && len(calls) > 0:
		return calls[len(calls)-1].name
	}
	return ""
}

// mayAssert reports whether something may fail there that is muted.
func (f *file) mayAssert(from, end int) bool {
	for k := from; k < end; k++ {
		t := &f.Tokens[k]
		if t.Kind != java.NameToken || k+1 >= end {
			continue
		}
		// any function without a receiver may be of the suite, or be given to it
		calls := f.Tokens[k+1].Is("(") && !f.Tokens[k-1].Is(".")
		if calls || f.own[t.Text] || t.Is("then") || t.Is("Then") || f.isAssertion(k, end) {
			return true
		}
	}
	return false
}

// checked puts a stand-in in the place of an answer that a block of REST-assured's checks: Then { … }.
func (f *file) checked(i, from int) {
	point := i
	if f.Tokens[i-1].Is(".") {
		point = i - 1
	}
	start := point
	for { // Given { … } When { … }
		at, ok := f.chain(start)
		if !ok || at < from {
			return
		}
		start = at
		if start <= from || !f.ends(start-1) {
			break
		}
	}
	end := f.Match[i+1]
	f.insert(f.Tokens[start].Start, f.call("checked"))
	f.insert(f.Tokens[point].Start, ") { flaketap -> flaketap ")
	f.insert(f.Tokens[end].End, " }")
}

// template has the test look at what is put into a text of which a request is made: one that looks like a part of one,
// or that one is given.
func (f *file) template(open int, looks, sends bool, ends []closing) []closing {
	var inside [][2]int
	requests := sends
	for k := open + 1; k < f.Match[open]; k++ {
		switch t := &f.Tokens[k]; {
		case t.Is("("):
			if said(t) {
				inside = append(inside, [2]int{k + 1, f.Match[k]})
			}
			k = f.Match[k]
		case f.isRequest(t):
			requests = requests || looks
		}
	}
	for k := len(inside) - 1; k >= 0 && requests; k-- { // the last ends last
		from, to := inside[k][0], inside[k][1]
		for from < to && said(&f.Tokens[from]) && f.Tokens[from].Is("(") && f.Match[from] == to-1 {
			from, to = from+1, to-1
		}
		if from >= to || said(&f.Tokens[from]) {
			continue
		}
		at := f.Tokens[from].Start
		if at > 0 && f.source[at-1] == '$' { // $name, and not ${name}
			f.insert(at, "{"+f.call("given"))
			ends = append(ends, closing{to - 1, ")}"})
		} else {
			f.insert(at, f.call("given"))
			ends = append(ends, closing{to - 1, ")"})
		}
	}
	return ends
}

// narrows reports whether an assertion that holds lets what follows be compiled, as assertNotNull(x) does where x.y
// follows: the compiler takes from it that x is not null. Nor is one muted whose value is used.
func (f *file) narrows(from, to int, in place) bool {
	narrows := false
	for k := from; k < to; k++ {
		t := &f.Tokens[k]
		switch {
		case t.Is("{"):
			k = f.Match[k]
		case t.Is("fail") && k+1 < to && f.Tokens[k+1].Is("(") && !in.may:
			return true
		case t.Is("?:"), typed(t):
			narrows = true
		case t.Kind != java.NameToken || !f.isAssertion(k, to):
		case in.result && !givesNothing(t.Text):
			return true
		case slices.Contains([]string{"assertNotNull", "assertIs", "assertInstanceOf", "shouldNotBeNull"}, t.Text),
			strings.HasPrefix(t.Text, "shouldBe"):
			narrows = true
		}
	}
	if !narrows {
		return false
	}
	for k := from; k < to; k++ {
		name, last := f.path(k, to)
		called := last+2 < to && f.Tokens[last+1].Is(".") && !strings.HasPrefix(f.Tokens[last+2].Text, "should")
		if f.used[name] > to && !called {
			return true
		}
		k = last
	}
	return false
}

// typed reports whether a token has the compiler take something of a type from a condition.
func typed(t *java.Token) bool { return !t.Quoted && (t.Is("is") || t.Is("null")) }

// givesNothing reports whether an assertion has no value of its own.
func givesNothing(name string) bool {
	return strings.HasPrefix(name, "assert") &&
		!slices.ContainsFunc([]string{"assertThat", "assertNotNull", "assertIs", "assertInstance", "assertFails", "assertThrows", "assertDoes",
			"assertTimeout", "assertSoftly"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// lastUses lists where each name, with those behind points, stands last in a method, but where it may be null.
func (f *file) lastUses(m *java.Method) map[string]int {
	out := map[string]int{}
	for k := m.Open; k < m.Close; k++ {
		name, last := f.path(k, m.Close)
		if name == "" {
			continue
		}
		if last+1 >= m.Close || !f.Tokens[last+1].Is("?.") && !f.Tokens[last+1].Is("!!") {
			out[name] = k
		}
		for end := strings.LastIndexByte(name, '.'); end > 0; end = strings.LastIndexByte(name[:end], '.') {
			out[name[:end]] = k
		}
		k = last
	}
	return out
}

// maxPath bounds the names that are told of one value.
const maxPath = 5

// path is the variable that begins with a token, with its fields: a.b of a.b.c(). "" where none does.
func (f *file) path(k, to int) (name string, last int) {
	if f.Tokens[k].Kind != java.NameToken || k > 0 && (f.Tokens[k-1].Is(".") || f.Tokens[k-1].Is("?.")) {
		return "", k
	}
	last = k
	for n := 0; n < maxPath && last < to; n++ {
		if last+1 < to && f.Tokens[last+1].Is("(") {
			break
		}
		if name != "" {
			name += "."
		}
		name += f.Tokens[last].Text
		if last+2 >= to || !f.Tokens[last+1].Is(".") || f.Tokens[last+2].Kind != java.NameToken ||
			strings.HasPrefix(f.Tokens[last+2].Text, "should") || last+3 < to && f.Tokens[last+3].Is("(") {
			return name, last
		}
		last += 2
	}
	return name, last
}

// tries marks what no statement shows: a try that is a value, and waits.
func (f *file) tries() {
	tokens, err := java.LexKotlin("", f.source)
	if err != nil {
		return
	}
	match := java.Matches(tokens)
	for i := range tokens {
		if i+1 < len(tokens) && tokens[i].Is("try") && !tokens[i].Quoted && tokens[i+1].Is("{") {
			if end := match[i+1]; end+1 < len(tokens) && tokens[end+1].Is("catch") {
				f.marks(tokens[i+1].End, tokens[end].Start, func() {})
			}
		}
	}
}
