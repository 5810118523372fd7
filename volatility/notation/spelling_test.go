package notation

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// drawnTexts draws texts as an API would, from an alphabet, in a frame.
func drawnTexts(seed uint64, n int, frame, letters string, length int) []string {
	random := rand.New(rand.NewPCG(seed, 1))
	out := make([]string, n)
	for i := range out {
		var drawn []byte
		for range length {
			drawn = append(drawn, letters[random.IntN(len(letters))])
		}
		out[i] = fmt.Sprintf(frame, drawn)
	}
	return out
}

const (
	hexLower  = "0123456789abcdef"
	hexUpper  = "0123456789ABCDEF"
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	base36    = "0123456789abcdefghijklmnopqrstuvwxyz"
	base64URL = base62 + "-_"
)

// counted are texts with a number that counts slowly, and one that counts on.
func counted(format string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i/20, 100+i%3))
	}
	return out
}

func TestSpelling(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"reference", drawnTexts(1, 20, "R-%s", hexUpper[1:], 10), "^R-[0-9A-F]{6,20}$"},
		{"id", drawnTexts(2, 20, "%s", base62[1:], 12), "^[0-9A-Za-z_-]{7,24}$"},
		{"id, seen often", drawnTexts(2, 90, "%s", base62[1:], 12), "^[0-9A-Za-z]{7,24}$"},
		{"length is certain", drawnTexts(3, 300, "%s", base36, 15), "^[0-9a-z]{15}$"},
		{"id with - and _", drawnTexts(2, 30, "%s", base64URL, 21), "^[0-9A-Za-z_-]{11,42}$"},
		{"two parts", drawnTexts(4, 12, "W/\"%s\"", hexLower, 32), "^W/\"[0-9a-f]{17,64}\"$"},
		{"numbers", drawnTexts(5, 14, "exec-%s", "123456789", 2), "^exec-[0-9]+$"},
		{"a count", counted("@64%d.%d", 40), "^@[0-9]+\\.[0-9]+$"},
		{"a year", drawnTexts(6, 12, "ORD-2026-%s", "0123456789", 6), "^ORD-[0-9]+-[0-9]+$"},
		{"half of the day", drawnTexts(6, 12, "%s PM", "0123456789", 6), "^[0-9]+ [A-Za-z]+$"},
		{"a day of a month", drawnTexts(6, 12, "Nov 23 %s", "0123456789", 6), "^[A-Za-z]+ +[0-9]+ [0-9]+$"},
		{"a month", drawnTexts(6, 12, "Nov-22-%s", "0123456789", 6), "^[A-Za-z]+-[0-9]+-[0-9]+$"},
		{"too few", drawnTexts(7, 4, "%s", hexLower, 16), ""},
		{"digits that might be hex", []string{"a-1", "a-2", "a-3", "a-4", "a-5"}, ""},
		{"words", []string{"looms", "overtures", "notes", "octopus", "clocks", "engines"}, ""},
		{"names with numbers", []string{"user1", "user2", "admin7", "guest12", "user44", "root5", "user91"}, ""},
		{"sentences", []string{"one fox", "two foxes ran", "three", "four more", "five of us"}, ""},
		{"unlike", []string{"a1-b2c3d4e5", "a1b2c3-d4e5", "a1b2", "c-d-e-f-1", "z9"}, ""},
		{"all alike", []string{"a", "a", "a", "a", "a", "a"}, ""},
		{"nothing", nil, ""},
		{"empty", []string{"", "a1", "b2", "c3", "d4", "e5"}, ""},
		{"letters beyond ASCII", []string{"é1", "é2", "é3", "é4", "é5", "é6"}, ""},
	} {
		if got := SpellingOf(tt.texts); got != tt.want {
			t.Errorf("%s: %q, want %q: %q", tt.name, got, tt.want, tt.texts[:min(3, len(tt.texts))])
		}
	}
}

// What was drawn is spelled as what will be drawn: none of 400 series is contradicted by a thousand more of its kind.
func TestSpellingHoldsForTheNext(t *testing.T) {
	stated := 0
	for seed := range uint64(80) {
		for _, kind := range []struct{ frame, letters string }{
			{"%s", base62}, {"x_%s", base64URL}, {"R-%s", hexUpper}, {"%s", base36}, {"n%s/end", "0123456789"},
		} {
			n, length := 5+int(seed)%40, 4+int(seed)%17
			pattern := SpellingOf(drawnTexts(seed, n, kind.frame, kind.letters, length))
			if pattern == "" {
				continue
			}
			stated++
			re := regexp.MustCompile(pattern)
			for _, next := range drawnTexts(seed+1_000_000, 1000, kind.frame, kind.letters, length) {
				if !re.MatchString(next) {
					t.Fatalf("%d texts of %d from %s in %s: %s does not match %s", n, length, kind.letters, kind.frame, pattern, next)
				}
			}
		}
	}
	if stated < 200 {
		t.Errorf("of 400 series, the spelling of %d is stated", stated)
	}
}

// Whatever the texts are, those that it is made of match it.
func TestSpellingMatchesItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-c0-9_.\\^$ é-]{0,14}`), 0, 12).Draw(t, "texts")
		pattern := SpellingOf(texts)
		if pattern == "" {
			return
		}
		re := regexp.MustCompile(pattern)
		for _, s := range texts {
			if !re.MatchString(s) {
				t.Fatalf("%s does not match %q", pattern, s)
			}
		}
	})
}
