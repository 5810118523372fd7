package compare

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTemplate(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"cannot handle com.acme.Foo@72c11c70 here", "cannot handle com.acme.Foo@1b2c3d here"}, `^cannot handle com\.acme\.Foo@[0-9A-Za-z_]+ here$`},
		{[]string{"took 5 ms", "took 17 ms", "took 3 ms"}, `^took [0-9]+ ms$`},
		{[]string{"made at 2026-01-29T12:15:09+07:00 by a", "made at 2026-01-29T12:15:09+07:00 by a"}, `^made at [0-9A-Za-z_.:+-]+ by a$`},
		{[]string{"thread http-nio-8080-exec-3 died", "thread http-nio-8080-exec-10 died"}, `^thread [0-9A-Za-z_.:+-]+ died$`},
		{[]string{"up for 392ms now", "up for 401ms now"}, `^up for [0-9A-Za-zµμ_.:+-]+ now$`},
		{[]string{"your key is aB3xY9", "your key is Zt4Qq1"}, `^your key is [0-9A-Za-z_.:+/=~-]+$`},
		{[]string{"same", "same"}, `^same$`},
		{[]string{"a (1)", "a"}, `^a[\s\S]*$`},
		{[]string{"", "x"}, `^.*$`},
		{[]string{"Anonymous Eurydome", "Anonymous Thyone", "Anonymous Metis"}, `^Anonymous .+$`},
		{[]string{"on 21 Nov 2026 at x1", "on 21 Nov 2026 at x2"}, `^on [0-9]+ .+ [0-9]+ at [0-9A-Za-z_]+$`},
		{[]string{"<p>Rendered on Sat Nov 21 17:55:19 2026</p>", "<p>Rendered on Sat Nov 21 17:55:20 2026</p>"}, ""},
		{[]string{"n1 du 22 novembre 2026 à 09h23", "n2 du 22 novembre 2026 à 09h23"}, `^[0-9A-Za-z_]+ du [0-9A-Za-z_]+ .+ [0-9]+ à [0-9A-Za-z_]+$`},
		{[]string{"INV-20261122-0007 of 5", "INV-20261122-0008 of 6"}, `^[0-9A-Za-z_.:+-]+ of [0-9]+$`},
		{[]string{"n1, see you on Sunday", "n2, see you on Sunday"}, `^[0-9A-Za-z_]+, see you on .+$`},
		{[]string{"n1 (c) 2026", "n2 (c) 2026"}, `^[0-9A-Za-z_]+ \(c\) [0-9]+$`},
		{[]string{"n1 on 22/11/2026", "n2 on 22/11/2026"}, `^[0-9A-Za-z_]+ on \S+$`},
		{[]string{"n1, 3 minutes ago", "n2, 3 minutes ago"}, `^[0-9A-Za-z_]+, [0-9A-Za-z_]+ .+ .+$`},
		{[]string{"n1 at 9:23 AM", "n2 at 9:23 AM"}, `^[0-9A-Za-z_]+ at [0-9A-Za-z_.:+-]+ .+$`},
		{[]string{"in May 2026 ids 1", "in May 2026 ids 2"}, `^in .+ [0-9]+ ids [0-9]+$`},
		{[]string{"due 21.11.2026, no 1", "due 21.11.2026, no 2"}, `^due [0-9A-Za-z_.:+-]+, no [0-9]+$`},
		{[]string{"ticket QWERTZUI", "ticket ASDFGHJK", "ticket YXCVBNMP", "ticket POIUZTRE"}, `^ticket [0-9A-Za-z_]+$`},
	} {
		var tpl Template
		for _, s := range c.texts {
			tpl.Add(s)
		}
		if c.want == "" { // whatever it is, it is true of the first of a month too
			if next := "<p>Rendered on Tue Dec  1 09:00:00 2026</p>"; !tpl.Matches(next) {
				t.Errorf("%q does not match %s", next, tpl.Pattern())
			}
			continue
		}
		if got := tpl.Pattern(); got != c.want {
			t.Errorf("%q: got %s want %s", c.texts, got, c.want)
		}
	}
}

// TestTemplateMatchesAll: whatever is added, everything added so far matches.
func TestTemplateMatchesAll(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", " ", "\n", "@", "1", "12:30", "é", "x.y", "(", "_", "2026-01-01"})
	rapid.Check(t, func(t *rapid.T) {
		var tpl Template
		var all []string
		for range rapid.IntRange(1, 6).Draw(t, "n") {
			s := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), "")
			tpl.Add(s)
			all = append(all, s)
			re, err := regexp.Compile(tpl.Pattern())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range all {
				if !re.MatchString(s) {
					t.Fatalf("%q does not match %s, made of %q", s, re, all)
				}
			}
		}
	})
}

func TestGaps(t *testing.T) {
	var tpl Template
	tpl.Add("object Foo@72c11c70 in pool-3-thread-1")
	tpl.Add("object Foo@1b2c3d44 in pool-3-thread-9")
	gaps := tpl.Gaps()
	if len(gaps) != 2 || !strings.HasSuffix(gaps[0].Before, "@") || gaps[1].Seen[1] != "pool-3-thread-9" || gaps[0].Spaces {
		t.Errorf("got %+v", gaps)
	}
}

func TestShuffled(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`known properties: "id", "name", "price"`, `known properties: "price", "id", "name"`, true},
		{"a b c", "a b c", false},
		{"a b c", "a b d", false},
		{"12", "21", false},
	} {
		if got := Shuffled(c.a, c.b); got != c.want {
			t.Errorf("Shuffled(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

// TestQuickTemplate holds what says quickly whether a text matches against the expression.
func TestQuickTemplate(t *testing.T) {
	piece := rapid.SampledFrom([]string{"Order", "10", "42", "a3bb189e", "aZ9", "12ms", "1.5s", "2026-01-29", "12:15:09", "é", "\x80", "\uFFFD", "Ada", "Grace",
		" ", "  ", "\n", "/", ":", "-", ".", "=", "@", "#", "_", "", "the"})
	quick := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 7).Draw(t, name), "") }
		var tpl Template
		base := rapid.SliceOfN(piece, 1, 7).Draw(t, "base")
		vary := func(name string) string {
			pieces := slices.Clone(base)
			for range rapid.IntRange(0, 2).Draw(t, name+" changes") {
				pieces[rapid.IntRange(0, len(pieces)-1).Draw(t, name+" at")] = piece.Draw(t, name)
			}
			return strings.Join(pieces, "")
		}
		for range rapid.IntRange(1, 3).Draw(t, "texts") {
			tpl.Add(vary("text"))
		}
		m := matcherOf(tpl.parts)
		if m == nil {
			return
		}
		quick++
		re := regexp.MustCompile(tpl.Pattern())
		for _, text := range []string{draw("other"), vary("like"), vary("alike") + draw("tail"), draw("head") + vary("like it")} {
			if utf8.ValidString(text) && m.match(text) != re.MatchString(text) {
				t.Fatalf("%s says %v of %q", tpl.Pattern(), m.match(text), text)
			}
			if tpl.Matches(text) != re.MatchString(text) {
				t.Fatalf("%s: Matches says %v of %q", tpl.Pattern(), tpl.Matches(text), text)
			}
		}
	})
	if quick == 0 {
		t.Error("no template was matched quickly")
	}
}
