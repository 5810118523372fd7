package exchange

import (
	"testing"
	"time"
)

func TestFreshness(t *testing.T) {
	const date = "Date: Sun, 22 Nov 2026 21:00:00 GMT\r\n"
	for head, want := range map[string]time.Duration{
		"":                                              0,
		"Cache-Control: max-age=3\r\n":                  3 * time.Second,
		"Cache-Control: public, Max-Age=\"60\"":         time.Minute,
		"Cache-Control: max-age=3, s-maxage=5":          5 * time.Second,
		"Cache-Control: s-maxage=5, max-age=3":          5 * time.Second,
		"Cache-Control: max-age=60\r\nAge: 20":          40 * time.Second,
		"Cache-Control: max-age=60\r\nAge: 80":          0,
		"Cache-Control: no-store, max-age=60":           0,
		"Cache-Control: max-age=-1":                     0,
		"Cache-Control: max-age=99999999999999999999":   0,
		"Cache-Control: max-age=9999999999999":          maxFreshness,
		date + "Expires: Sun, 22 Nov 2026 21:05:00 GMT": 5 * time.Minute,
		date + "Cache-Control: max-age=3\r\nExpires: Sun, 22 Nov 2026 21:05:00 GMT": 3 * time.Second,
		date + "Expires: 0":                             0,
		date + "Expires: Sun, 22 Nov 2026 20:00:00 GMT": 0,
		"Expires: Sun, 22 Nov 2026 20:00:00 GMT":        0,
	} {
		r := ParseResponse(Message{Head: []byte("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n")})
		if got := r.Freshness(); got != want {
			t.Errorf("%q: %s, want %s", head, got, want)
		}
	}
}

func FuzzFreshness(f *testing.F) {
	f.Add("max-age=3, s-maxage=9", "Sun, 22 Nov 2026 21:05:00 GMT", "1")
	f.Fuzz(func(t *testing.T, control, expires, age string) {
		r := ParseResponse(Message{Head: []byte("HTTP/1.1 200 OK\r\nCache-Control: " + control + "\r\nExpires: " + expires +
			"\r\nDate: " + expires + "\r\nAge: " + age + "\r\n\r\n")})
		if d := r.Freshness(); d < 0 || d > maxFreshness {
			t.Errorf("%q %q %q: %s", control, expires, age, d)
		}
	})
}
