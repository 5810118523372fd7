package mock

// Matcher is a match in the words of WireMock: its matcher, what that wants, and what goes with it.
type Matcher struct {
	Name string // "equalTo", "contains", "doesNotContain", "matches", "doesNotMatch", "absent", "equalToJson"
	Text string // "" for absent and equalToJson
	JSON any    // of equalToJson, decoded
	// Of equalTo, and of equalToJson.
	CaseInsensitive, IgnoreArrayOrder, IgnoreExtraElements bool
}

var matcherNames = map[relation]string{equals: "equalTo", contains: "contains", lacks: "doesNotContain", matches: "matches",
	differs: "doesNotMatch", absent: "absent", equalsJSON: "equalToJson"}

// Matcher says what a match wants.
func (m Match) Matcher() Matcher {
	return Matcher{Name: matcherNames[m.relation], Text: m.text, JSON: m.json,
		CaseInsensitive: m.fold && m.relation == equals, IgnoreArrayOrder: m.anyOrder, IgnoreExtraElements: m.extraAllowed}
}

// EqualTo is the match of a text.
func EqualTo(text string) Match { return Match{relation: equals, text: text} }

// EqualToJSON is the match of a text that is JSON of the same value; ok is false where the wanted text is none.
func EqualToJSON(wanted []byte) (m Match, ok bool) {
	v, err := decodeJSON(wanted)
	return Match{relation: equalsJSON, json: v}, err == nil
}
