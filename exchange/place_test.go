package exchange

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlace(t *testing.T) {
	tests := []struct {
		place    Place
		want     string
		segments []string
		parent   Place
	}{
		{PlaceStatus, "/status", []string{"status"}, ""},
		{PlaceBody, "/body", []string{"body"}, ""},
		{HeaderPlace("X-Request-ID"), "/header/x-request-id", []string{"header", "x-request-id"}, "/header"},
		{HeaderPlace(""), "/header/", []string{"header", ""}, "/header"},
		{PlaceBody.Key("items").Index(0).Key("price"), "/body/items/0/price", []string{"body", "items", "0", "price"}, "/body/items/0"},
		{PlaceBody.Key("items").Each().Key("price"), "/body/items/*/price", []string{"body", "items", "*", "price"}, "/body/items/*"},
		{PlaceBody.Key(""), "/body/", []string{"body", ""}, PlaceBody},
		{PlaceBody.Key("").Key(""), "/body//", []string{"body", "", ""}, "/body/"},
		{PlaceBody.Key("*"), "/body/~2", []string{"body", "*"}, PlaceBody},
		{PlaceBody.Key("**"), "/body/**", []string{"body", "**"}, PlaceBody},
		{PlaceBody.Key("a/b~c"), "/body/a~1b~0c", []string{"body", "a/b~c"}, PlaceBody},
		{PlaceBody.Key("~1"), "/body/~01", []string{"body", "~1"}, PlaceBody},
		{PlaceBody.Key("~2"), "/body/~02", []string{"body", "~2"}, PlaceBody},
		{PlaceBody.Key("a.b \"'é"), "/body/a.b \"'é", []string{"body", "a.b \"'é"}, PlaceBody},
	}
	for _, tt := range tests {
		if string(tt.place) != tt.want {
			t.Errorf("place %q, want %q", tt.place, tt.want)
		}
		if diff := cmp.Diff(tt.segments, tt.place.Segments()); diff != "" {
			t.Errorf("%s: segments (-want +got):\n%s", tt.place, diff)
		}
		if got := tt.place.Parent(); got != tt.parent {
			t.Errorf("%s: parent %q, want %q", tt.place, got, tt.parent)
		}
		if got := tt.place.Root(); got != tt.segments[0] {
			t.Errorf("%s: root %q, want %q", tt.place, got, tt.segments[0])
		}
	}
	if got := Place("").Parent(); got != "" {
		t.Errorf("the parent of nothing is %q", got)
	}
}

// keys draws what an API may call a member: anything, and what has a meaning in a place above all.
func keys() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom([]rune("~/*012a.")), 0, 5, -1))
}

func drawPlace(t *rapid.T) (Place, []string) {
	segments := rapid.SliceOfN(keys(), 0, 5).Draw(t, "keys")
	p := PlaceBody
	for _, s := range segments {
		p = p.Key(s)
	}
	return p, append([]string{"body"}, segments...)
}

// TestMarkerKeys: a key that reads like the marker of a text's parts is none.
func TestMarkerKeys(t *testing.T) {
	p := PlaceBody.Key("@json").Key("id")
	if p != "/body/~3json/id" || p.Segments()[1] != "@json" {
		t.Errorf("%s: %q", p, p.Segments())
	}
	if _, _, part := p.Text(); part {
		t.Errorf("%s is taken for a part of a text", p)
	}
	if q := PlaceBody.Key("@id"); q != "/body/@id" {
		t.Errorf("%s: only markers are escaped", q)
	}
}

func TestPlaceKeepsAnyKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, segments := drawPlace(t)
		if diff := cmp.Diff(segments, p.Segments()); diff != "" {
			t.Fatalf("%q: segments (-want +got):\n%s", p, diff)
		}
		for _, q := range []Place{p, p.Key("x"), p.Each(), p.Index(7)} {
			if !q.Within(p) || !p.Matches(p) {
				t.Fatalf("%q is not within %q", q, p)
			}
		}
		if key := keys().Draw(t, "key"); p.Key(key).Parent() != p {
			t.Fatalf("the parent of %q is not %q", p.Key(key), p)
		}
	})
}

func TestMatches(t *testing.T) {
	tests := []struct {
		pattern, place Place
		want           bool
	}{
		{"/body", "/body", true},
		{"/body", "/status", false},
		{"/body/a", "/body", false},
		{"/body", "/body/a", false},
		{"/body/*", "/body/a", true},
		{"/body/*", "/body/", true},
		{"/body/*", "/body/*", true},
		{"/body/*", "/body", false},
		{"/body/*", "/body/a/b", false},
		{"/body/*/b", "/body/a/b", true},
		{"/body/*/b", "/body/a/c", false},
		{"/body/*/*", "/body/0/1", true},
		{"/*", "/status", true},
		{"/body/a", "/body/*", false}, // the wildcards are those of the pattern
		{"/body/~2", "/body/a", false},
		{"/body/~2", "/body/~2", true},
		{"/body/*", "/body/~2", true},
		{"/body/ab", "/body/a*", false},
		{"/body/a*", "/body/ab", false}, // part of a key, so no wildcard
		{"", "", true},
	}
	for _, tt := range tests {
		if got := tt.pattern.Matches(tt.place); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.pattern, tt.place, got)
		}
	}
}

// A place made general at any of its segments still names itself, and nothing with another segment elsewhere.
func TestGeneralMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, segments := drawPlace(t)
		positions := rapid.SliceOfN(rapid.IntRange(-1, len(segments)), 0, 3).Draw(t, "positions")
		general := p.General(positions...)
		if !general.Matches(p) {
			t.Fatalf("%q does not match %q", general, p)
		}
		raw, changed := general.raw(), p.raw()
		for i := range raw {
			if raw[i] == Wildcard {
				continue
			}
			old := changed[i]
			changed[i] += "x"
			if general.Matches(Place("/" + strings.Join(changed, "/"))) {
				t.Fatalf("%q matches a place with %q at %d", general, changed[i], i)
			}
			changed[i] = old
		}
	})
}

func TestGeneral(t *testing.T) {
	p := Place("/body/items/0/tags/1")
	for want, positions := range map[Place][]int{
		p: nil, "/body/items/*/tags/1": {2}, "/body/items/*/tags/*": {4, 2}, "/body/items/0/tags/1 ": {-1, 5, 99},
	} {
		if got := p.General(positions...); got != Place(strings.TrimSpace(string(want))) {
			t.Errorf("General(%v) is %q", positions, got)
		}
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		p, q Place
		want bool
	}{
		{"/body/a", "/body/a", true},
		{"/body/a/b/c", "/body/a", true},
		{"/body/a/", "/body/a", true},
		{"/body/ab", "/body/a", false},
		{"/body/a", "/body/a/b", false},
		{"/body/a", "/header", false},
		{"/body/a", "", true},
		{"/body/*/b", "/body/*", true},
		{"/body/0", "/body/*", false},
	}
	for _, tt := range tests {
		if got := tt.p.Within(tt.q); got != tt.want {
			t.Errorf("%q within %q: %v", tt.p, tt.q, got)
		}
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("/body/a~1b/*/~2", "key")
	f.Add("", "*")
	f.Add("body//~", "~0~1/")
	f.Fuzz(func(t *testing.T, place, key string) {
		p := Place(place)
		segments := p.Segments()
		if len(segments) == 0 || segments[0] != unescape(p.Root()) {
			t.Errorf("%q: segments %q, root %q", p, segments, p.Root())
		}
		q := p.Key(key)
		if s := q.Segments(); s[len(s)-1] != key {
			t.Errorf("key %q of %q came back as %q", key, p, s[len(s)-1])
		}
		if !q.Within(p) || !q.Matches(q) || p != "" && q.Parent() != p || !p.General(0, 1, 2).Matches(p) {
			t.Errorf("%q is not the part %q of %q", q, key, p)
		}
		if parent := p.Parent(); parent != "" && !p.Within(parent) {
			t.Errorf("%q is not within its parent %q", p, parent)
		}
		Secret(p)
	})
}

func BenchmarkMatches(b *testing.B) {
	pattern, place := Place("/body/items/*/tags/*/name"), Place("/body/items/17/tags/3/name")
	b.ReportAllocs()
	for b.Loop() {
		pattern.Matches(place)
	}
}
