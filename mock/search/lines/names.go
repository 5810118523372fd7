package lines

import (
	"regexp"
	"strconv"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Name is a name of a field as a line has it.
type Name struct {
	Name string
	Own  string    // what it is called in the source, where Name is the one in JSON
	Kind kind.Kind // with which it is declared; Unknown where the type tells none
}

// form is one in which languages write a name, with what they say of it.
type form struct {
	re         func() *regexp.Regexp
	name, said int // what captures them
}

// tagged is a field of a struct in Go, with its type and the name that its tag gives it.
var tagged = lazy.Regexp("(\\w+)\\s+([\\w.\\[\\]*{}]+)\\s+`[^`]*json:\"([\\w-]+)")

var (
	// A name that a field has in the source, and the one that it has in JSON.
	renamed = []form{
		{tagged, 3, 1},
		{lazy.Regexp(`@(?:JsonProperty|SerializedName|Json|SerialName)\((?:\w+\s*=\s*)?"([\w-]+)"\)[^;,(){}]*?\b(\w+)\s*[;,:=){]`), 1, 2},
	}
	// How languages declare the type of a name.
	declared = []form{
		{tagged, 3, 2},
		{lazy.Regexp(`\b(\w+)\??:\s*(?:Optional\[|Nullable<)?(float|int|str|bool|number|string|boolean|Double|Int|Long|String|Boolean|BigDecimal|(?:[Ll]ist|Array|dict|Map|Record)\b)`), 1, 2},
		{lazy.Regexp(`\b(double|int|long|float|boolean|String|BigDecimal|Integer|Double|Long|Boolean|List<[\w<>]+>|Map<[\w<>, ]+>|\w+\[\])\s+(\w+)\s*[,;)=]`), 2, 1},
	}
)

// Pair is a name, and what it is compared with: a text, or a number.
type Pair struct {
	Name, Text string
	Number     float64 // 0 where it is a text, or 0
}

// A name that is compared with a number or a text.
var pairOf = lazy.Regexp("([A-Za-z_]\\w*)[\"'\\])]{0,3}\\s*(?:[<>]=?|[=!]==?)\\s*(?:(\\d{1,9}(?:\\.\\d{1,6})?)\\b|[\"'`]([^\"'`\\\\]{1,40})[\"'`])|([A-Za-z_]\\w*)[\"')]{0,2}\\.equals(?:IgnoreCase)?\\(\"([^\"\\\\]{1,40})\"")

// Pairs are the names that a line compares with a number or a text, ten at most.
func Pairs(line string) (out []Pair) {
	for _, m := range pairOf().FindAllStringSubmatch(line, 10) {
		n, _ := strconv.ParseFloat(m[2], 64) // none is read where it is a text
		out = append(out, Pair{m[1] + m[4], m[3] + m[5], n})
	}
	return out
}

// Renamed are the names in JSON that a line gives to those of its source, ten of a form at most.
func Renamed(line []byte) (out []Name) {
	for _, f := range renamed {
		for _, m := range f.re().FindAllSubmatch(line, 10) {
			out = append(out, Name{Name: string(m[f.name]), Own: string(m[f.said])})
		}
	}
	return out
}

// Declared are the names that a line declares with a type, twenty of a form at most.
func Declared(line []byte) (out []Name) {
	for _, f := range declared {
		for _, m := range f.re().FindAllSubmatch(line, 20) {
			out = append(out, Name{Name: string(m[f.name]), Kind: kind.Named(string(m[f.said]))})
		}
	}
	return out
}

var number = lazy.Regexp(`(?:^|[^\w.])(\d{1,9}(?:\.\d{1,6})?)(?:[^\w.]|$)`)

// Numbers are those that a line has, twenty at most.
func Numbers(line []byte) (out []float64) {
	for _, m := range number().FindAllSubmatch(line, 20) {
		n, _ := strconv.ParseFloat(string(m[1]), 64) // it is digits
		out = append(out, n)
	}
	return out
}
