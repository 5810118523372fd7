package cmdline_test

import (
	"testing"

	"github.com/flaketap/flaketap/internal/cmdline"
)

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "500": 500, "500b": 500, "64KiB": 64 << 10, "64k": 64 << 10, "10M": 10 << 20, "10MB": 10 << 20, "1g": 1 << 30,
		"": -1, "x": -1, "-1": -1, "1T": -1, "1.5M": -1, "M": -1, "1 M": -1, "1MM": -1, "1KKiB": -1, "9223372036854775807G": -1,
	} {
		got, err := cmdline.ParseSize(s)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
}
