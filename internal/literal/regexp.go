package literal

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
)

// JavaScriptRegexp writes a regular expression of Go as a literal of JavaScript that finds the same texts; false where
// JavaScript has none. It is written anew from what Go parses, so that nothing in it can mean something else there.
func JavaScriptRegexp(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	return javaScriptRegexp(re, func(body string) string { return body })
}

// JavaScriptRegexpWhole is [JavaScriptRegexp] of an expression that all of a text has to match.
func JavaScriptRegexpWhole(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	return javaScriptRegexp(re, func(body string) string {
		if re.Op == syntax.OpAlternate {
			body = "(?:" + body + ")"
		}
		return "^" + body + "$"
	})
}

func javaScriptRegexp(re *syntax.Regexp, anchored func(string) string) (string, bool) {
	w := regexpWriter{}
	body := anchored(w.write(re))
	if w.failed {
		return "", false
	}
	if body == "" {
		body = "(?:)"
	}
	return "/" + body + "/" + w.flags(), true
}

// regexpWriter writes the parts of a parsed expression.
type regexpWriter struct {
	failed bool
	wide   bool // it needs the flag u: characters outside the basic plane are one
}

func (w *regexpWriter) flags() string {
	if w.wide {
		return "u"
	}
	return ""
}

func (w *regexpWriter) write(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return "(?:)"
	case syntax.OpLiteral:
		text := ""
		for _, r := range re.Rune {
			if fold := unicode.SimpleFold(r); re.Flags&syntax.FoldCase != 0 && fold != r {
				text += w.folded(r)
			} else {
				text += w.char(r)
			}
		}
		return text
	case syntax.OpCharClass:
		return w.class(re.Rune)
	case syntax.OpAnyCharNotNL:
		w.wide = true
		return `[^\n]`
	case syntax.OpAnyChar:
		w.wide = true
		return `[\s\S]`
	case syntax.OpBeginText:
		return "^"
	case syntax.OpEndText:
		return "$"
	case syntax.OpWordBoundary:
		return `\b`
	case syntax.OpNoWordBoundary:
		return `\B`
	case syntax.OpCapture:
		return "(" + w.write(re.Sub[0]) + ")"
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return w.repeat(re)
	case syntax.OpConcat, syntax.OpAlternate:
		parts := make([]string, len(re.Sub))
		for i, sub := range re.Sub {
			parts[i] = w.write(sub)
			if sub.Op == syntax.OpAlternate {
				parts[i] = "(?:" + parts[i] + ")"
			}
		}
		if re.Op == syntax.OpAlternate {
			return strings.Join(parts, "|")
		}
		return strings.Join(parts, "")
	}
	w.failed = true
	return ""
}

// repeat writes an expression that may stand several times.
func (w *regexpWriter) repeat(re *syntax.Regexp) string {
	sub := re.Sub[0]
	text := w.write(sub)
	switch {
	case sub.Op == syntax.OpCharClass, sub.Op == syntax.OpCapture, sub.Op == syntax.OpAnyChar,
		sub.Op == syntax.OpAnyCharNotNL:
	case sub.Op == syntax.OpLiteral && len(sub.Rune) == 1:
	default:
		text = "(?:" + text + ")"
	}
	switch re.Op {
	case syntax.OpStar:
		text += "*"
	case syntax.OpPlus:
		text += "+"
	case syntax.OpQuest:
		text += "?"
	default:
		text += "{" + strconv.Itoa(re.Min)
		switch {
		case re.Max < 0:
			text += ","
		case re.Max != re.Min:
			text += "," + strconv.Itoa(re.Max)
		}
		text += "}"
	}
	if re.Flags&syntax.NonGreedy != 0 {
		text += "?"
	}
	return text
}

// folded writes a letter in either case.
func (w *regexpWriter) folded(r rune) string {
	text := w.classChar(r)
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		text += w.classChar(f)
	}
	return "[" + text + "]"
}

// class writes a class of characters from the pairs that bound its ranges.
func (w *regexpWriter) class(pairs []rune) string {
	switch string(pairs) {
	case "09":
		return `\d`
	case "09AZ__az":
		return `\w`
	case "":
		return "[]"
	}
	not := len(pairs) > 0 && pairs[0] == 0 && pairs[len(pairs)-1] == unicode.MaxRune
	if not { // what is left out is shorter
		w.wide = true
		inner := pairs[1 : len(pairs)-1]
		if len(inner) == 0 {
			return `[\s\S]`
		}
		text := ""
		for i := 0; i < len(inner); i += 2 {
			text += w.bounds(inner[i]+1, inner[i+1]-1)
		}
		return "[^" + text + "]"
	}
	text := ""
	for i := 0; i < len(pairs); i += 2 {
		text += w.bounds(pairs[i], pairs[i+1])
	}
	return "[" + text + "]"
}

func (w *regexpWriter) bounds(lo, hi rune) string {
	switch {
	case lo == hi:
		return w.classChar(lo)
	case lo+1 == hi:
		return w.classChar(lo) + w.classChar(hi)
	case lo == '0' && hi == '9':
		return `\d`
	}
	return w.classChar(lo) + "-" + w.classChar(hi)
}

// char writes one character outside of classes.
func (w *regexpWriter) char(r rune) string { return w.escaped(r, `\^$.*+?()[]{}|/`) }

// classChar writes one character within a class: the slash and [ so that no reader takes them for an end.
func (w *regexpWriter) classChar(r rune) string { return w.escaped(r, `\]^[-/`) }

// escaped writes one character, behind a backslash where it is special.
func (w *regexpWriter) escaped(r rune, special string) string {
	switch {
	case r > 0xffff:
		w.wide = true
		return fmt.Sprintf(`\u{%x}`, r)
	case strings.ContainsRune(special, r):
		return `\` + string(r)
	case !unicode.IsPrint(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
