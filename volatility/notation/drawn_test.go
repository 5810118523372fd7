package notation

import "testing"

// TestDrawnTogether proves that random words are known by what they are like together, and that names are none.
func TestDrawnTogether(t *testing.T) {
	for name, tt := range map[string]struct {
		words []string
		want  bool
	}{
		"one has no digit":   {[]string{"gxx8pfwFPeDZ", "PvdVjxMwTtpa", "3PNXdbf34TJ3"}, true},
		"one has no change":  {[]string{"PiW4o8rlXoQQocUA", "tLxeAj4xH8uBEQs8", "JLUJBWLITRMURYNE"}, true},
		"base64url":          {[]string{"BQH4LizQ2uhZ_uTS", "BboBxRMLNZVNBhGQ"}, true},
		"one":                {[]string{"gxx8pfwFPeDZ"}, false},
		"two lengths":        {[]string{"gxx8pfwFPeDZ", "PvdVjxMwTtp"}, false},
		"short":              {[]string{"a1b2c3d", "d4e5f6g"}, false},
		"names":              {[]string{"Lovelace-Ada", "Hopper-Grace"}, false},
		"names of a program": {[]string{"basketOfEggs", "crateOfApple"}, false},
		"texts":              {[]string{"12 pieces left", "13 pieces left"}, false},
		"numbers":            {[]string{"12.50123456", "13.70123456"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DrawnTogether(tt.words); got != tt.want {
				t.Errorf("%v: %v", tt.words, got)
			}
		})
	}
}

// TestDrawnName proves that what differs in names is known for drawn by its letters and digits, and that small numbers,
// versions and words are not.
func TestDrawnName(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  bool
	}{
		{[]string{"upload-8f3a2b", "upload-77c01d"}, true},
		{[]string{"tmpab_12x9q", "tmpkq0zzz1e"}, true},
		{[]string{"go-build1839201933", "go-build920192837"}, true},
		{[]string{"XqPzLmRtWe", "aBcdEFghIj"}, true},
		{[]string{"app-4011", "app-40112"}, false},
		{[]string{"node01", "node02"}, false},
		{[]string{"report", "images"}, false},
		{[]string{"same", "same"}, false},
		{[]string{"a1b2c3 d4", "b1c2d3 e4"}, false},
		{[]string{"", ""}, false},
	} {
		if got := DrawnName(tt.names); got != tt.want {
			t.Errorf("%q: got %v", tt.names, got)
		}
	}
}
