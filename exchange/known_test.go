package exchange

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is known after each exchange finds what would be found if all had been collected at once, in few matchers.
func TestKnownGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[ab1/]{5,9}7`), 1, 60).Draw(t, "values")
		text := rapid.StringMatching(`([ab1/]{5,9}7|,){0,30}`).Draw(t, "text")
		var grown, once Secrets
		var known *Known
		for _, v := range values {
			once.Note(v)
			before := grown.Known()
			found := len(before.echoes(text))
			grown.Note(v)
			known = grown.Known()
			if len(before.echoes(text)) != found {
				t.Fatal("what was known before has changed")
			}
		}
		if n := len(known.layers); n > 8 {
			t.Errorf("%d matchers for %d values", n, len(values))
		}
		places := func(k *Known) (out []string) {
			for _, s := range (Redactor{Known: k}).Echoes(text) {
				out = append(out, fmt.Sprint(s.From, "-", s.To))
			}
			return out
		}
		// Layers may find more: a text that overlaps with one that another layer has.
		covered := func(k *Known) []bool {
			set := make([]bool, len(text))
			for _, s := range (Redactor{Known: k}).Echoes(text) {
				for i := s.From; i < s.To; i++ {
					set[i] = true
				}
			}
			return set
		}
		all := covered(known)
		for i, c := range covered(once.Known()) {
			if c && !all[i] {
				t.Fatalf("%q: at once %v, one after the other %v", text, places(once.Known()), places(known))
			}
		}
	})
}

func TestBegun(t *testing.T) {
	var s Secrets
	s.Note("tok-1234567890")
	s.Note("an0ther/secret")
	r := Redactor{Known: s.Known()}
	for text, want := range map[string]string{
		"it is tok-1234": "tok-1234567890", "it is tok-1234567890": "tok-1234567890", "it is tok-1": "", "": "",
		"an0ther%2Fsec": "an0ther/secret", "tok-12345x": "",
	} {
		if at, value := r.Begun(text); value != want || want == "" && at != len(text) {
			t.Errorf("%q breaks off in %q at %d, want %q", text, value, at, want)
		}
	}
}

func TestTokens(t *testing.T) {
	r := Redactor{Key: []byte("k")}
	token := r.Token("a")
	got := Tokens("x " + token + " secret%3A" + token[7:] + " secret:12 " + r.Token("b"))
	if want := []string{token, r.Token("b")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for place, text := range map[Place]string{
		"/header/authorization": "Bearer " + token, "/header/cookie": "a=" + token + "; b=\"" + token + "\"", "/header/set-cookie": "a=" + token + "; Path=/",
	} {
		if shown := r.Show(place, text); shown != text {
			t.Errorf("%s: %s became %s", place, text, shown)
		}
		if other := text + "; c=1x"; place != "/header/set-cookie" && r.Show(place, other) != r.Token(other) {
			t.Errorf("%s: %s became %s", place, other, r.Show(place, other))
		}
	}
	for _, value := range []string{"0f0f0f1b2c3d", "111122223333", "secret:0f0f0f1b2c3", "secret:0f0f0f1b2c3d4", "Secret:0f0f0f1b2c3d"} {
		var s Secrets
		s.Text("?token=" + value)
		r := Redactor{Key: r.Key, Known: s.Known()}
		for text, place := range map[string]Place{value: "/header/x-api-key", "Bearer " + value: "/body/note", `{"token":"` + value + `"}`: "", value + " said": ""} {
			if shown := r.Show(place, text); strings.Contains(shown, value) {
				t.Errorf("%s: a secret is shown as it is: %s", place, shown)
			}
		}
	}
	glued := "my x_" + token + "_b"
	if shown := r.Show("", "client_"+token); strings.Contains(shown, token) {
		t.Errorf("a client's own secret is taken for a token: %s", shown)
	}
	s := Secrets{Stored: true}
	if shown := (Redactor{Key: r.Key, Known: s.Known()}).Show("", glued); shown != glued {
		t.Errorf("the stored %s is shown as %s", glued, shown)
	}
	if shown := r.Token(token); shown != token || r.Token(strings.Replace(token, ":", "%3a", 1)) != token {
		t.Errorf("the token of a token is %s", shown)
	}
	if shown := r.Show("", "at "+token+"/x and more"); shown != "at "+token+"/x and more" {
		t.Errorf("a token became %q", shown)
	}
}

// TestKnownElsewhere: who reads what is known hides what its writer hides.
func TestKnownElsewhere(t *testing.T) {
	s := &Secrets{Named: []string{"plate", "/body/owner"}, Stored: true}
	for i := range 40 {
		s.Note(fmt.Sprintf("kn0wn-value-%d/x", i))
		s.Known() // a layer of its own
	}
	k := s.Known()
	content, err := k.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var other Known
	if err := other.UnmarshalBinary(content); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a kn0wn-value-7/x b", "kn0wn-value-39%2Fx", "plate=AB1234567", "nothing", "kn0wn-value-1/x kn0wn-value-11/x",
		"my x_secret:0f0f0f1b2c3d_b"} {
		a, b := Redactor{Key: []byte("k"), Known: k}, Redactor{Key: []byte("k"), Known: &other}
		if want, got := a.Show("", text), b.Show("", text); got != want {
			t.Errorf("%q is shown as %q there, as %q here", text, got, want)
		}
	}
	for _, place := range []Place{"/body/owner", "/body/owner/name", "/body/plate", "/body/x"} {
		if other.Secret(place) != k.Secret(place) {
			t.Errorf("%s: another judgement there", place)
		}
	}
	if err := other.UnmarshalBinary(content[:len(content)/2]); err == nil {
		t.Error("half of it can be read")
	}
}

func FuzzKnownElsewhere(f *testing.F) {
	content, err := (&Secrets{Named: []string{"plate"}}).Known().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Fuzz(func(_ *testing.T, b []byte) {
		var k Known
		if k.UnmarshalBinary(b) == nil {
			Redactor{Known: &k}.Show("", "a text with plate=AB1234567 in it")
		}
	})
}
