package trials

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/grpc"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// TestWire: what crosses a hub comes out as it went in.
func TestWire(t *testing.T) {
	in := search.Trial{Request: search.Request{Method: "POST", Target: "/a?b=c", Header: map[string]string{"X-A": "b"}, Body: []byte("{}")},
		Stubs: []byte(`{"mappings": []}`), Watched: true}
	text, err := encodeTrial(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeTrial(text); err != nil || !cmp.Equal(got, in) {
		t.Errorf("a trial: %v\n%s", err, cmp.Diff(in, got))
	}
	e := &exchange.Exchange{Seq: 3, Scheme: "http", Addr: "127.0.0.1:8", Start: time.Unix(7, 0).UTC(),
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte("hello")})}
	said := search.Outcome{Status: 200, Body: []byte("hello\xff"), Log: "a line\n", Record: []*exchange.Exchange{e},
		Calls: []search.Call{{Service: "a.example:443", Method: "GET", Target: "/x", Status: 404, Times: 2}},
		Reads: []search.Read{{Method: "GET", Service: "a.example:443", Target: "/x", Place: "/body/a", Kind: kind.String, Value: "b"}}}
	if text, err = encodeOutcome(said); err != nil {
		t.Fatal(err)
	}
	got, err := decodeOutcome(text)
	if err != nil || len(got.Record) != 1 || string(got.Record[0].Response.Body) != "hello" || got.Record[0].Request.Target != "/a" {
		t.Errorf("the record: %v, %+v", err, got.Record)
	}
	apart := *e
	apart.Request.Parts = []exchange.Part{{Number: 1, Size: 8}}
	if text, err = encodeOutcome(search.Outcome{Record: []*exchange.Exchange{&apart}}); err != nil {
		t.Fatal(err)
	}
	if _, err := decodeOutcome(text); err == nil {
		t.Error("a body whose pieces are elsewhere is taken")
	}
	got.Record, said.Record = nil, nil
	if !cmp.Equal(got, said) {
		t.Error(cmp.Diff(said, got))
	}
}

// TestSettingOnTheWire: a worker has the bound, the hooks and the descriptions of whoever searches; one of a later format
// is refused.
func TestSettingOnTheWire(t *testing.T) {
	described, err := grpc.ReadFile(t.Context(), "../grpc/testdata/rates.proto")
	if err != nil {
		t.Fatal(err)
	}
	in := Options{Hooks: true, Search: search.Options{Patience: time.Second}}
	in.Serve.GRPC = grpc.Services{"a.example": described}
	text, err := encodeSetting(&in)
	if err != nil {
		t.Fatal(err)
	}
	var got Options
	if err := decodeSetting(text, &got); err != nil || !got.Hooks || got.Search.Patience != time.Second ||
		!cmp.Equal(got.Serve.GRPC["a.example"].Methods(), described.Methods()) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{`{"format": 2, "patience": 1}`, `{"format": 1}`, `[`, `{"format": 1, "patience": 1, "grpc": {"a": "AA=="}}`} {
		if err := decodeSetting([]byte(text), &got); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// FuzzWire: what comes over a hub is read or refused.
func FuzzWire(f *testing.F) {
	f.Add([]byte(`{"outcome": {"Status": 200}, "record": ["AAAA"]}`))
	f.Add([]byte(`{"trial": {"Request": {"Method": "GET"}}, "watched": true}`))
	f.Add([]byte(`{"format": 1, "patience": 1000, "grpc": {"a": "CgA="}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if out, err := decodeOutcome(text); err == nil {
			for _, e := range out.Record {
				if divided(e) {
					t.Error("a body is elsewhere")
				}
			}
		}
		_, _ = decodeTrial(text)
		var o Options
		_ = decodeSetting(text, &o)
	})
}
