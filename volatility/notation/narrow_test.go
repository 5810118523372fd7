package notation_test

import (
	"testing"

	"github.com/flaketap/flaketap/volatility/notation"
)

// TestNarrow: a format is narrowed to what five texts or more are sure to keep to, and to nothing else.
func TestNarrow(t *testing.T) {
	hex := []string{"864579256d6ea87d", "392c04b9363ca3f2", "598b0f0bb2b6677c", "11c9ff7a699b0ee3", "25768995386c8fce"}
	const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
	const rfc3339 = `\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)`
	for _, tt := range []struct {
		format string
		texts  []string
		want   string
	}{
		{"hex:16", hex, `[0-9a-f]{16}`},
		{"hex:16", hex[:4], `[0-9a-fA-F]{16}`},
		{"hex:16", append([]string{"864579256D6ea87d"}, hex...), `[0-9a-fA-F]{16}`},
		{"hex:4", []string{"0012", "1003", "1a04", "2005", "3006"}, `[0-9a-fA-F]{4}`}, // too few letters
		{"hex", []string{"AB01CDEF", "ABCDEF02", "ABCD03EF", "04ABCDEF", "AB05CDEF"}, `[0-9A-F]{8}`},
		{"uuid4", []string{"d11c277f-9e0d-402e-91c2-7ae62add9148", "e07d24b6-359a-439e-b3a0-3916a40828e6",
			"1c427931-e1b0-4c7d-9860-eb098c756379", "16204a46-8dfb-4a2d-acc7-27e2597fe745",
			"5aab722c-c2b0-48f7-aa5a-2db947ed064f"}, uuid},
		{"digits", []string{"411890", "902053", "005503", "871182", "684384"}, `[0-9]{6}`},
		{"digits", []string{"411890", "902053", "105503", "871182", "684384"}, `[0-9]+`}, // the next may be shorter
		{"digits", []string{"411890", "902053", "005503", "871182", "68438"}, `[0-9]+`},
		{"base64url", hex, `[A-Za-z0-9_-]+`},
		{"rfc3339", []string{"2026-11-23T08:05:30Z", "2026-11-23T08:05:33Z", "2026-11-23T08:05:35Z", "2026-11-23T08:05:36Z",
			"2026-11-23T08:05:37Z"}, `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([Zz]|[+-]\d\d:\d\d)`},
		{"rfc3339", []string{"2026-11-23T08:05:30.574802007Z", "2026-11-23T08:05:33.07Z", "2026-11-23T08:05:35.1Z",
			"2026-11-23T08:05:36.1Z", "2026-11-23T08:05:37.2Z"}, `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+([Zz]|[+-]\d\d:\d\d)`},
		{"rfc3339", []string{"2026-11-23T08:05:30.5Z", "2026-11-23t08:05:33.07Z", "2026-11-23T08:05:35.1Z",
			"2026-11-23T08:05:36Z", "2026-11-23T08:05:37.2Z"}, rfc3339},
		{"datetime", []string{"2026-11-23 15:05", "2026-11-23 15:06", "2026-11-23 15:07", "2026-11-23 15:08",
			"2026-11-23 15:09:01.2"}, `\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?`},
	} {
		if got := notation.Narrow(notation.FormatPattern(tt.format), tt.texts); got != tt.want {
			t.Errorf("%s, %q: %s, want %s", tt.format, tt.texts, got, tt.want)
		}
	}
}
