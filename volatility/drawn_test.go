package volatility

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
			if got := drawnTogether(tt.words); got != tt.want {
				t.Errorf("%v: %v", tt.words, got)
			}
		})
	}
}
