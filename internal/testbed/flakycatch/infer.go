package flakycatch

import (
	"regexp"
	"strings"
)

// The placeholders that inference puts in the place of what it finds.
const (
	markTime   = "_EM_POTENTIAL_TIME_FLAKINESS_"
	markCrypto = "_EM_POTENTIAL_CRYPTO_FLAKINESS_"
	markUUID   = "_EM_POTENTIAL_UUID_FLAKINESS_"
	markRandom = "_EM_POTENTIAL_RANDOM_FLAKINESS_"
	markObject = "_EM_POTENTIAL_OBJECT_FLAKINESS_"
	markRunMsg = "_EM_POTENTIAL_RUNMSG_FLAKINESS_"
)

// categories are the categories that the placeholders stand for, of the nine that the study has. An id is Rand there.
var categories = []struct{ mark, category string }{
	{markTime, "Time"}, {markCrypto, "Crypt"}, {markUUID, "Rand"}, {markRandom, "Rand"}, {markObject, "RunMsg"},
	{markRunMsg, "RunMsg"},
}

// inferences are the expressions, in the order in which they are applied, each to what the ones before it left.
var inferences = []struct {
	re  *regexp.Regexp
	put string
}{
	// A whole string: milliseconds and a Z, or no zone and no fraction, or a date.
	{regexp.MustCompile(`"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z|[ T][0-9]{2}:[0-9]{2}:[0-9]{2})?"`), `"` + markTime + `"`},
	{regexp.MustCompile(`\b[0-9]{13}\b`), markTime},
	{regexp.MustCompile(`\b(?:[[:xdigit:]]{32}|[[:xdigit:]]{40}|[[:xdigit:]]{64})\b`), markCrypto},
	{regexp.MustCompile(`[[:xdigit:]]{8}(?:-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}`), markUUID},
	{regexp.MustCompile(`\b[[:xdigit:]]{16,}\b`), markRandom},
	{regexp.MustCompile(`\b[[:alnum:]+/]{20,}={0,2}\b`), markRandom},
	{regexp.MustCompile(`[[:alnum:]\[_.$;]+@[[:xdigit:]]+`), markObject},
	{regexp.MustCompile(`0x[[:xdigit:]]+`), markRunMsg},
	{regexp.MustCompile(`\.java:[0-9]+`), markRunMsg},
}

// Infer returns a text with placeholders for what its look says may move. It knows no JSON: keys are replaced as values
// are.
func Infer(text string) string {
	for _, i := range inferences {
		text = i.re.ReplaceAllLiteralString(text, i.put)
	}
	return text
}

// categoryOf returns the category of the first placeholder in a text, "" where there is none.
func categoryOf(text string) string {
	at, found := len(text), ""
	for _, c := range categories {
		if i := strings.Index(text, c.mark); i >= 0 && i < at {
			at, found = i, c.category
		}
	}
	return found
}

// mend makes JSON again of JSON whose numbers, or parts of them, became placeholders: each token outside of strings
// that holds one becomes a string of its own.
func mend(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := tokenEnd(text, i)
		token := text[i:j]
		if token[0] != '"' && strings.Contains(token, "_EM_POTENTIAL_") {
			token = `"` + token + `"`
		}
		b.WriteString(token)
		i = j
	}
	return b.String()
}

// tokenEnd returns where the token that begins at i ends: a string, one character of the structure or of the blanks
// between, or what stands between such.
func tokenEnd(text string, i int) int {
	const structure = "{}[]:, \t\r\n\""
	if text[i] == '"' {
		for i++; i < len(text) && text[i] != '"'; i++ {
			if text[i] == '\\' {
				i++
			}
		}
		return min(i+1, len(text))
	}
	if strings.IndexByte(structure, text[i]) >= 0 {
		return i + 1
	}
	for i < len(text) && strings.IndexByte(structure, text[i]) < 0 {
		i++
	}
	return i
}
