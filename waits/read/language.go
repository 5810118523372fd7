package read

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Language is one in which tests are written.
type Language string

// The languages that are read. JavaScript is TypeScript too.
const (
	JavaScript Language = "javascript"
	Python     Language = "python"
	Java       Language = "java"
	Kotlin     Language = "kotlin"
	Go         Language = "go"
)

// byExtension tells the language of a file.
var byExtension = map[string]Language{
	".js": JavaScript, ".jsx": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
	".ts": JavaScript, ".tsx": JavaScript, ".mts": JavaScript, ".cts": JavaScript,
	".py": Python, ".java": Java, ".kt": Kotlin, ".kts": Kotlin, ".go": Go,
}

// Extensions are those of the files that are read, in order.
func Extensions() []string {
	var out []string
	for ext := range byExtension {
		out = append(out, ext)
	}
	slices.Sort(out)
	return out
}

// LanguageOf tells the language of a file by its name; "" for one that is not read.
func LanguageOf(name string) Language {
	if strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".min.js") {
		return ""
	}
	return byExtension[path.Ext(name)]
}

// syntax is what the lexer has to know of a language.
type syntax struct {
	comment  string // what begins a comment that ends with its line
	block    bool   // /* */ is one too
	nested   bool   // and stands within another
	quotes   string // what begins a text
	triple   bool   // three quotes begin one of several lines
	template bool   // ` begins a text with ${ } in it
	raw      bool   // ` begins one of several lines
	regex    bool   // / may begin a regular expression
	filled   bool   // "${ }" within a text is a part of it, quotes and all
}

var syntaxes = map[Language]syntax{
	JavaScript: {comment: "//", block: true, quotes: `"'`, template: true, regex: true},
	Python:     {comment: "#", quotes: `"'`, triple: true},
	Java:       {comment: "//", block: true, quotes: `"'`, triple: true},
	Kotlin:     {comment: "//", block: true, nested: true, quotes: `"'`, triple: true, filled: true},
	Go:         {comment: "//", block: true, quotes: `"'`, raw: true},
}

// unit is what a number without one stands for where the form of the wait does not say.
func (l Language) unit() time.Duration {
	switch l {
	case Python:
		return time.Second
	case Go:
		return time.Nanosecond
	}
	return time.Millisecond
}

// keywords are words of a language that say nothing of what a line is about.
var keywords = wordSet("await async const let var function return new if else for while import from export default " +
	"def class self this void public private static final val fun func throws try catch true false null none nil in " +
	"is and or not with as err ms")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
