package mapfile

import (
	"bytes"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"flaketap":"volatile-map","version":1,"operations":[{"fields":[{"place":"/body/*/a","judgement":"jitter"}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := m.Encode(&out, EncodeOptions{All: true}); err != nil {
			t.Skip() // tokens that are no JSON cannot come from a file, but a time out of range can
		}
		again, err := Decode(&out)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		for i, o := range again.Operations {
			for _, x := range o.Fields {
				if o.At(x.Place) == nil || m.Operations[i].At(x.Place) == nil {
					t.Fatalf("field %s is not found", x.Place)
				}
			}
		}
	})
}

func TestAt(t *testing.T) {
	op := &Operation{Fields: []*Field{{Place: "/body/*/a"}, {Place: "/body/0/b"}, {Place: "/body/*/*/c"}, {Place: "/body/x/*"}, {Place: "/body/~2"}, {Place: "/body/"}}}
	for _, indexed := range []bool{false, true} {
		if indexed {
			op.Index()
		}
		for place, want := range map[exchange.Place]exchange.Place{
			"/body/7/a": "/body/*/a", "/body/0/a": "/body/*/a", "/body/0/b": "/body/0/b", "/body/1/b": "", "/body/0/1/c": "/body/*/*/c",
			"/body/x/9": "/body/x/*", "/body/~2": "/body/~2", "/body/": "/body/", "/body": "", "/status": "",
		} {
			var got exchange.Place
			if f := op.At(place); f != nil {
				got = f.Place
			}
			if got != want {
				t.Errorf("indexed %v: At(%s) = %q want %q", indexed, place, got, want)
			}
		}
	}
}

func TestAppliesTo(t *testing.T) {
	fp, other := exchange.Fingerprint{1}, exchange.Fingerprint{2}
	for _, c := range []struct {
		field           Field
		here, otherwise bool
	}{
		{Field{Judgement: Jitter}, true, true},
		{Field{Judgement: WouldMove}, true, true},
		{Field{Judgement: Drift, Fingerprints: []string{fp.String()}}, true, false},
		{Field{Judgement: Drift}, true, true},
		{Field{Judgement: Hint, Fingerprints: []string{fp.String()}}, false, false},
		{Field{Judgement: Stable}, false, false},
	} {
		if got, gotElse := c.field.AppliesTo(fp), c.field.AppliesTo(other); got != c.here || gotElse != c.otherwise {
			t.Errorf("%+v: %v %v", c.field, got, gotElse)
		}
	}
}
