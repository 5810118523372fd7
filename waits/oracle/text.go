package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// otherTexts stands for the digest of a file that was another one in different runs.
const otherTexts = "several"

// See keeps the digests of the files that a run's commands came from, as read reads them by their names: a wait
// belongs into the text that was recorded, and into no other one.
func (s *Session) See(r *Run, read func(name string) ([]byte, error)) {
	seen := map[string]bool{}
	for i := range r.Commands {
		name := sourceFile(r.Commands[i].Source)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		text, err := read(name)
		if err != nil { // the suite ran in another folder: nothing is known of the file then
			continue
		}
		if s.Files == nil {
			s.Files = map[string]string{}
		}
		digest := digestOf(text)
		if had := s.Files[name]; had != "" && had != digest {
			digest = otherTexts
		}
		s.Files[name] = digest
	}
}

// Recorded reports whether a text is that of a source's file when it was recorded, as far as that is known.
func (m *Model) Recorded(source string, text []byte) bool {
	digest := m.files[sourceFile(source)]
	return digest == "" || digest == digestOf(text)
}

// sourceFile is the file of a source, file:line:column; "" where it is none.
func sourceFile(source string) string {
	for range 2 {
		at := strings.LastIndexByte(source, ':')
		if at < 0 {
			return ""
		}
		source = source[:at]
	}
	return source
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
