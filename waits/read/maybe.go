package read

import "strings"

// MayWait reports whether a line that stands by itself may hold a time, without reading it: histories have many lines
// that do not.
func MayWait(l Language, line string) bool {
	forms, properties := formsOf[l], propertiesOf[l]
	digits := strings.ContainsAny(line, "123456789")
	trimmed := strings.TrimLeft(line, " \t")
	if digits && trimmed != "" && strings.IndexByte("})", trimmed[0]) >= 0 {
		return true // it may end a call
	}
	for i := 0; i < len(line); {
		if !letter(line[i:]) {
			i++
			continue
		}
		from := i
		for i < len(line) && (letter(line[i:]) || digit(line[i])) {
			i++
		}
		word := line[from:i]
		if _, ok := properties[word]; ok || len(forms[word]) > 0 {
			return true
		}
		if rest := strings.TrimLeft(line[i:], " "); digits && rest != "" && strings.IndexByte("=:", rest[0]) >= 0 && timely(word) {
			return true
		}
	}
	return false
}
