package read

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// value is a number, or a time.
type value struct {
	n    float64 // of nanoseconds, if it is a time
	time bool
}

// Longest bounds the times that are taken for those of a wait: a day.
const Longest = 24 * time.Hour

// as returns the time that a value stands for, with a unit for plain numbers. Zero is none: it lets no time pass.
func (v value) as(unit time.Duration) (time.Duration, bool) {
	n := v.n
	if !v.time {
		n *= float64(unit)
	}
	if !(n >= 1 && n <= float64(Longest)) { // not a number, too
		return 0, false
	}
	return time.Duration(math.Round(n)), true
}

// evaluator reads an expression from tokens, as far as it is one.
type evaluator struct {
	tokens []token
	at     int
	lookup func(string) (value, bool) // of a name, with points
	depth  int
}

// maxExpression is how many tokens the expression of a time may have.
const maxExpression = 40

// evaluate gives the value of an expression that is all of the tokens.
func evaluate(tokens []token, lookup func(string) (value, bool)) (value, bool) {
	if len(tokens) == 0 || len(tokens) > maxExpression {
		return value{}, false
	}
	e := &evaluator{tokens: tokens, lookup: lookup}
	v, ok := e.either()
	return v, ok && e.at == len(tokens)
}

// either reads values of which the last stands where the others are not set: process.env.WAIT || 500.
func (e *evaluator) either() (value, bool) {
	v, ok := e.sum()
	for e.is("||", "??", "or") {
		e.at++
		v, ok = e.sum()
	}
	return v, ok
}

func (e *evaluator) sum() (value, bool) {
	v, ok := e.product()
	for ok && e.is("+", "-") {
		op := e.tokens[e.at].text
		e.at++
		var w value
		if w, ok = e.product(); op == "-" {
			w.n = -w.n
		}
		v = value{v.n + w.n, v.time || w.time}
	}
	return v, ok
}

func (e *evaluator) product() (value, bool) {
	v, ok := e.factor()
	for ok && e.is("*", "/") {
		op := e.tokens[e.at].text
		e.at++
		var w value
		if w, ok = e.factor(); op == "/" {
			w = value{1 / w.n, w.time}
		}
		v = value{v.n * w.n, v.time != w.time} // a time by a time is a number
	}
	return v, ok
}

func (e *evaluator) factor() (value, bool) {
	if e.depth++; e.depth > maxExpression || e.at >= len(e.tokens) {
		return value{}, false
	}
	defer func() { e.depth-- }()
	switch t := e.tokens[e.at]; {
	case t.text == "(" && t.kind == mark:
		e.at++
		v, ok := e.either()
		if !ok || !e.is(")") {
			return v, false
		}
		e.at++
		return e.behind(v)
	case t.kind == number:
		e.at++
		n, ok := plainNumber(t.text)
		return e.suffixed(value{n: n}, ok)
	case t.kind == name:
		return e.named()
	}
	return value{}, false
}

// suffixed reads what Kotlin puts behind a number: 5.seconds.
func (e *evaluator) suffixed(v value, ok bool) (value, bool) {
	if ok && e.is(".") && e.at+1 < len(e.tokens) {
		if unit := unitOf(e.tokens[e.at+1].text); unit > 0 {
			e.at += 2
			return value{v.n * float64(unit), true}, true
		}
	}
	return v, ok
}

// named reads a name with points, or a call of one.
func (e *evaluator) named() (value, bool) {
	path := e.path()
	last := path[strings.LastIndexByte(path, '.')+1:]
	if !e.is("(") {
		if unit := unitOf(last); unit > 0 && strings.HasPrefix(path, "time.") {
			return value{float64(unit), true}, true
		}
		if t := wordedTime(last); t > 0 {
			return value{float64(t), true}, true
		}
		return e.lookup(path)
	}
	e.at++
	v, ok := e.made(path, last)
	if !ok || !e.is(")") {
		return v, false
	}
	e.at++
	return e.behind(v)
}

// path reads a name with points.
func (e *evaluator) path() string {
	path := e.tokens[e.at].text
	e.at++
	for e.at+1 < len(e.tokens) && e.is(".", "?.") && e.tokens[e.at+1].kind == name {
		path += "." + e.tokens[e.at+1].text
		e.at += 2
	}
	return path
}

// made reads the arguments of what makes a time of a number: Duration.ofSeconds(5), timedelta(seconds=5).
func (e *evaluator) made(path, last string) (value, bool) {
	unit := time.Duration(0)
	switch {
	case strings.HasPrefix(last, "of"):
		unit = unitOf(strings.TrimPrefix(last, "of"))
	case strings.HasPrefix(last, "to") && strings.Contains(path, "."): // TimeUnit.SECONDS.toMillis(5)
		parts := strings.Split(path, ".")
		unit = unitOf(parts[len(parts)-2])
	case last == "timedelta" && e.at+1 < len(e.tokens) && e.tokens[e.at+1].text == "=":
		unit = unitOf(e.tokens[e.at].text)
		e.at += 2
	case last == "Number" || last == "float" || last == "int" || path == "time.Duration":
		return e.either()
	}
	v, ok := e.either()
	if ok && last == "of" && e.is(",") { // Duration.of(5, ChronoUnit.SECONDS)
		e.at++
		if e.at >= len(e.tokens) || e.tokens[e.at].kind != name {
			return v, false
		}
		path := e.path()
		unit = unitOf(path[strings.LastIndexByte(path, '.')+1:])
	}
	return value{v.n * float64(unit), true}, ok && unit > 0 && !v.time
}

// behind skips what makes a number of a time again: .toMillis(), .total_seconds().
func (e *evaluator) behind(v value) (value, bool) {
	for v.time && e.at+1 < len(e.tokens) && e.is(".") {
		next := e.tokens[e.at+1].text
		if !strings.HasPrefix(next, "to") && !strings.HasPrefix(next, "inWhole") {
			return v, false
		}
		e.at += 2
		if e.at+1 < len(e.tokens) && e.is("(") && e.tokens[e.at+1].text == ")" {
			e.at += 2
		}
	}
	return v, true
}

func (e *evaluator) is(texts ...string) bool {
	if e.at >= len(e.tokens) || e.tokens[e.at].kind == text {
		return false
	}
	for _, t := range texts {
		if e.tokens[e.at].text == t {
			return true
		}
	}
	return false
}

// plainNumber reads a number as the languages write it: 5_000, 3e3, 0x10, 500L, 1.5f.
func plainNumber(s string) (float64, bool) {
	s = strings.ReplaceAll(s, "_", "")
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		n, err := strconv.ParseUint(strings.TrimRight(s[2:], "Ln"), 16, 53)
		return float64(n), err == nil
	}
	n, err := strconv.ParseFloat(strings.TrimRight(s, "LlFfDdn"), 64)
	return n, err == nil
}

// units are the names of units, without case and an s at the end.
var units = map[string]time.Duration{
	"nano": time.Nanosecond, "nanosecond": time.Nanosecond, "micro": time.Microsecond, "microsecond": time.Microsecond,
	"milli": time.Millisecond, "millisecond": time.Millisecond, "second": time.Second, "minute": time.Minute,
	"hour": time.Hour,
}

func unitOf(s string) time.Duration { return units[strings.TrimSuffix(strings.ToLower(s), "s")] }

// numerals are those of Awaitility's constants.
var numerals = map[string]int64{"ONE": 1, "TWO": 2, "FIVE": 5, "TEN": 10, "ONE_HUNDRED": 100, "TWO_HUNDRED": 200,
	"FIVE_HUNDRED": 500}

// wordedTime is what Awaitility calls FIVE_SECONDS; 0 for another name.
func wordedTime(s string) time.Duration {
	i := strings.LastIndexByte(s, '_')
	if i < 0 {
		return 0
	}
	return time.Duration(numerals[s[:i]]) * unitOf(s[i+1:])
}
