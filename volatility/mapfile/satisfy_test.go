package mapfile

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// Each statement refuses what it is not true of, and names no value.
func TestSatisfied(t *testing.T) {
	two, four := 2, 4
	made := time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		holds    Holds
		is, isnt string // raw tokens, one to a line
		why      string
	}{
		{Holds{Type: "integer"}, "1\n-7", "1.5\n\"1\"\nnull\ntrue\n[]\n{}", "not an integer"},
		{Holds{Type: "number"}, "1\n1.5\n1e3", "\"1\"", "not a number"},
		{Holds{Type: "null|string"}, "null\n\"\"", "1", "not null or a string"},
		{Holds{Equal: json.RawMessage("1")}, "1\n1.0", "2", "not the value that it always had"},
		{Holds{OneOf: []json.RawMessage{json.RawMessage(`"a"`), json.RawMessage(`null`)}}, "\"a\"\nnull\n\"\\u0061\"", "\"b\"", "not one of the 2 values seen"},
		{Holds{Type: "string", Format: "uuid4"}, `"0b0a0f3c-6f0e-4c5e-9a3b-0123456789ab"`, "\"0b0a0f3c-6f0e-1c5e-9a3b-0123456789ab\"\n\"x\"", "not in the format uuid4"},
		{Holds{Format: "rfc3339"}, `"2026-06-15T12:00:00Z"`, "\"2026-06-15\"\n\"\"", "not in the format rfc3339"},
		{Holds{Format: "hex:4"}, `"00ff"`, "\"00f\"\n\"00fff\"\n\"00fg\"", "not in the format hex:4"},
		{Holds{Format: "epoch-ms"}, "1781524800000\n\"1781524800000\"", "1781524800\n\"x\"", "not in the format epoch-ms"},
		{Holds{Format: "of-a-later-version"}, `"x"`, "", ""},
		{Holds{Pattern: "^a[0-9]+$"}, `"a1"`, "\"b1\"\n\"a\"", "not of the pattern seen"},
		{Holds{MinLength: &two, MaxLength: &four}, "\"ab\"\n\"äöüß\"", "\"a\"\n\"abcde\"", "than"},
		{Holds{Min: "1", Max: "5"}, "1\n5\n2.5", "0\n6\n-1", "than"},
		{Holds{Type: "string", Clock: 60}, "\"2026-06-15T12:00:50Z\"\n\"2026-06-15T11:59:10.5Z\"", "\"2026-06-15T12:02:00Z\"\n\"soon\"\n\"2025-06-15T12:00:00Z\"", "not"},
	} {
		for raw := range strings.SplitSeq(c.is, "\n") {
			if err := c.holds.Satisfied(raw, made); err != nil {
				t.Errorf("%+v: %s is refused: %v", c.holds, raw, err)
			}
		}
		for raw := range strings.SplitSeq(c.isnt, "\n") {
			if raw == "" {
				continue
			}
			switch err := c.holds.Satisfied(raw, made); {
			case err == nil:
				t.Errorf("%+v: %s is taken", c.holds, raw)
			case !strings.Contains(err.Error(), c.why) || len(raw) > 8 && strings.Contains(err.Error(), raw[1:len(raw)-1]):
				t.Errorf("%s: %v, want %s", raw, err, c.why)
			}
		}
	}
	h := Holds{MinLength: &two, MaxLength: &four}
	for n, ok := range map[int]bool{1: false, 2: true, 4: true, 5: false} {
		if (h.SatisfiedLength(n) == nil) != ok {
			t.Errorf("%d elements: %v", n, h.SatisfiedLength(n))
		}
	}
}
