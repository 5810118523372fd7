package junit

import (
	_ "embed"
	"path"
	"regexp"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/kotlin"
)

var (
	//go:embed Muted.java
	mutedJava []byte
	//go:embed Muted.kt
	mutedKotlin []byte
)

// language is what differs between the languages of suites. Kotlin's statements are told as Java's (package kotlin).
type language struct {
	runtime []byte                                      // the class at the end of a file
	read    func(name, text string) (*java.File, error) // finds what a file defines
	probe   func(name string) string                    // what the class at the end of a file is called
	quoted  func(text string) string                    // a text, as the source has it
	caught  string                                      // what a catch says of all that there may be
	// braces goes through what stands in braces in an expression; calls are those around it
	braces func(f *file, open int, in place, calls []call)
	// leans reports whether an assertion that holds, from a token to another, lets what follows be compiled
	leans func(f *file, from, to int, in place) bool
	// uses lists where a method last leans on what is known of a name
	uses func(f *file, m *java.Method) map[string]int
	// besides marks what is no statement
	besides func(f *file)
}

// languages are those that are read, by the ends of the names of their files.
func languages() map[string]language {
	return map[string]language{
		".java": {
			runtime: mutedJava,
			read:    readJava,
			probe:   func(name string) string { return "FlaketapProbe" + noName.ReplaceAllString(path.Base(name), "_") },
			quoted:  literal.Java,
			caught:  "Throwable flaketap",
			braces:  func(*file, int, place, []call) {},
			leans:   func(*file, int, int, place) bool { return false },
			uses:    func(*file, *java.Method) map[string]int { return nil },
			besides: func(*file) {},
		},
		".kt": {
			runtime: mutedKotlin,
			read:    kotlin.Read,
			// a package may have several files of one name
			probe:   func(name string) string { return "FlaketapProbe_" + noName.ReplaceAllString(name, "_") },
			quoted:  literal.Kotlin,
			caught:  "flaketap: Throwable",
			braces:  (*file).lambda,
			leans:   (*file).narrows,
			uses:    (*file).lastUses,
			besides: (*file).tries,
		},
	}
}

var noName = regexp.MustCompile(`\W`)

func readJava(name, text string) (*java.File, error) {
	tokens, err := java.LexWritten(name, text)
	if err != nil {
		return nil, err
	}
	return java.Read(tokens), nil
}
