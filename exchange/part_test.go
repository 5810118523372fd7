package exchange

import "testing"

func TestText(t *testing.T) {
	for _, c := range []struct {
		place, text Place
		marker      string
	}{
		{"/body/token/@jwt/claims/exp", "/body/token", PartJWT},
		{"/body/@xml", "/body", PartXML},
		{"/body/@ndjson/*/t/@jwt/claims", "/body", PartLines},
		{"/header/set-cookie/@cookie/sid/value", "/header/set-cookie", PartCookie},
		{"/body/@id/x", "", ""},       // JSON-LD has such keys
		{"/body/@jwtx/@", "", ""},     // no marker
		{"/body/x@json/y", "", ""},    // no segment
		{"/@json/y", "/@json/y", "-"}, // of no text
		{"/body", "", ""},
	} {
		text, marker, ok := c.place.Text()
		if c.marker == "-" {
			if ok {
				t.Errorf("%s: part of %q", c.place, text)
			}
			continue
		}
		if text != c.text || marker != c.marker || ok != (c.text != "") {
			t.Errorf("%s: %q %q %v", c.place, text, marker, ok)
		}
		if ok && Place(c.text.Part(marker)) != c.place[:len(c.text)+1+len(marker)] {
			t.Errorf("%s: %s", c.place, c.text.Part(marker))
		}
	}
	if !Secret("/body/data/@jwt/claims/sub") || Secret("/body/data/@json/sub") || !Secret("/body/data/@base64/password") || !Secret("/body/@xml/login/@sid") {
		t.Error("what a token holds is secret, and what is named so")
	}
}
