package search

import (
	"regexp"
	"slices"
)

// Words are the texts of an API's own files that may be names of fields, or values: what stands in quotes first, then
// names after a dot, each in the order in which it stands there.
type Words struct {
	quoted, members []string
	seen            map[string]bool
}

// maxWords bounds how many words there are of each kind.
const maxWords = 150

var (
	inQuotes = regexp.MustCompile("[\"'`]([A-Za-z][A-Za-z0-9_-]{0,39})[\"'`]")
	member   = regexp.MustCompile(`\.([a-z][A-Za-z0-9_]{1,39})\b`)
)

// Add takes the words of a file.
func (w *Words) Add(text []byte) {
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.quoted = w.add(w.quoted, inQuotes.FindAllSubmatch(text, 4*maxWords))
	w.members = w.add(w.members, member.FindAllSubmatch(text, 4*maxWords))
}

func (w *Words) add(list []string, found [][][]byte) []string {
	for _, m := range found {
		if word := string(m[1]); !w.seen[word] && len(list) < maxWords {
			w.seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// Names may be the names of fields.
func (w *Words) Names() []string { return slices.Concat(w.quoted, w.members) }

// Values may be values that the API compares with.
func (w *Words) Values() []string { return w.quoted }
