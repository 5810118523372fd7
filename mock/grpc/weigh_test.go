package grpc

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// within is a field of bytes: a text, a message, or packed elements.
func within(number protowire.Number, inner []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), inner)
}

// Bytes of which far more would be made are refused before anything is, and those within the bounds are read. A message of
// 4 MiB took 15 seconds.
func TestHeavyMessages(t *testing.T) {
	d, err := ReadFile(t.Context(), filepath.Join("testdata", "much.proto"))
	if err != nil {
		t.Fatal(err)
	}
	m := d.Method("/much.v1.Much/Get")
	packed := func(times, size int) []byte {
		out := within(4, make([]byte, size))
		for range times {
			out = within(5, append(within(1, []byte("x/much.v1.All")), within(2, out)...))
		}
		return out
	}
	group := protowire.AppendTag(protowire.AppendTag(nil, 6, protowire.StartGroupType), 6, protowire.EndGroupType)
	const messages, values, bound = "it holds more than 100000 messages", "it holds more than 1000000 values", "more than 16 MiB are packed into it"
	for name, tc := range map[string]struct {
		raw  []byte
		want string
	}{
		"messages":            {bytes.Repeat(within(3, nil), maxMessages), messages},
		"a few less":          {bytes.Repeat(within(3, nil), 20_000), ""},
		"extensions":          {bytes.Repeat(within(100, nil), maxMessages), messages},
		"groups":              {bytes.Repeat(group, maxMessages), messages},
		"a map":               {bytes.Repeat(within(2, nil), maxMessages), messages},
		"entries in messages": {bytes.Repeat(within(3, bytes.Repeat(within(7, nil), 9)), maxMessages/10+1), messages},
		"packed elements":     {within(1, make([]byte, maxValues)), values},
		"fewer of them":       {within(1, make([]byte, maxValues/10)), ""},
		"packed numbers":      {within(8, make([]byte, 8*(maxMessage/8-1))), ""},
		"smaller numbers":     {within(10, make([]byte, 4*(maxValues/2))), ""},
		"zeros":               {within(9, make([]byte, 2*maxValues)), ""},
		"texts":               {bytes.Repeat(within(4, nil), maxValues+1), values},
		"unknown fields":      {bytes.Repeat(within(99, nil), maxValues+1), values},
		"one text":            {within(4, make([]byte, maxMessage-5)), ""},
		"packed with a type":  {bytes.Repeat(packed(1, 0), maxMessages/100), ""},
		"messages in them":    {within(5, append(within(1, []byte("x/much.v1.All")), within(2, bytes.Repeat(within(3, nil), maxMessages))...)), messages},
		"packed in turn":      {packed(20, maxPacked/20), bound},
		"packed in a map":     {within(2, within(2, packed(20, maxPacked/20))), bound},
		"a key of two types":  {within(7, append([]byte{1 << 3, 1}, within(1, nil)...)), "it cannot be read: type mismatch: cannot convert nil to map key"},
		"packed less":         {packed(4, maxPacked/20), ""},
	} {
		_, err := m.toJSON(framed(tc.raw), "", m.desc.Output())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.HasSuffix(err.Error(), "it is no much.v1.All: "+tc.want)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
}

// What is counted of a message is what it holds.
func TestWeigh(t *testing.T) {
	m := described(t).Method(get)
	raw, err := m.fromJSON([]byte(`{"usd": 1.5, "others": {"a": {"note": "x"}}, "asked": [{"currencies": ["EUR", "USD"]}],
		"any": {"@type": "x/rates.v1.Query", "base": "EUR"}}`), m.desc.Output())
	if err != nil {
		t.Fatal(err)
	}
	s := &scale{types: m.types}
	if err := s.wire(raw[prefix:], m.desc.Output(), maxDepth); err != nil || s.messages != 5 || s.values != 11 {
		t.Errorf("%d messages, %d values, %v", s.messages, s.values, err)
	}
}
