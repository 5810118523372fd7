package flow

import "strings"

// Ids are drawn from letters and digits, and now and then one reads like a word: of the 15 characters of "gorvd6krjridpu2"
// two are digits. What such a value is, its place tells: it is the id of what a request made, and the server's choice. So
// it ties like a particular value, to whatever asks for just that. In the same way a name that the server gave to a part of
// what was made, as to a file, ties to the path segment behind the id.

// minMade is the least length, in bytes, of an id that ties by having been made.
const minMade = 10

// madeKey returns the key of an id that the server made. ok is false for what is too short, or no unbroken run of letters
// and digits; a strong value needs no such key.
func madeKey(v string) (k key, ok bool) {
	return key{text: "made:" + v, alone: true}, len(v) >= minMade && len(v) <= 64 && runLength(v) == len(v) && !strong(v)
}

// partKey returns the key of a name that the answer which made id gave to a part of it. ok is false for what may be a word
// of the API: short, or without a digit.
func partKey(id, v string) (k key, ok bool) {
	return key{text: "part:" + id + "/" + v}, len(v) >= 8 && len(v) <= 256 && strings.ContainsAny(v, "0123456789")
}

// runLength returns how many letters and digits a text begins with.
func runLength(s string) int {
	n := 0
	for n < len(s) && (isUpper(s[n]) || s[n] >= 'a' && s[n] <= 'z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}
