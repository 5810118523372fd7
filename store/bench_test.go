package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// benchExchanges makes exchanges of about 1.6 kB, as a fuzzer leaves them: the same API, random values.
func benchExchanges() []*exchange.Exchange {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]*exchange.Exchange, 512)
	for i := range out {
		e := newExchange(i)
		var items []byte
		for range 8 {
			items = fmt.Appendf(items, `{"id":%d,"uuid":"%016x%016x","name":"item","price":%d.99},`,
				random.IntN(1e6), random.Uint64(), random.Uint64(), random.IntN(100))
		}
		body := fmt.Appendf(nil, `{"total":8,"items":[%s],"createdAt":"2026-11-20T12:00:00Z"}`, items[:len(items)-1])
		e.Request = exchange.ParseRequest(exchange.Message{
			Head: fmt.Appendf(nil, "POST /items/%d HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: python-requests/2.34.2\r\nAccept-Encoding: gzip, deflate, br\r\n"+
				"Accept: */*\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nContent-Length: 120\r\n\r\n", random.IntN(1e6)),
			Body: fmt.Appendf(nil, `{"name":"%x","email":"%x@example.org","age":%d}`, random.Uint64(), random.Uint64(), random.IntN(100)),
		})
		e.Response = exchange.ParseResponse(exchange.Message{
			Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\nX-Request-Id: %x\r\nContent-Length: %d\r\n\r\n",
				random.Uint64(), len(body)),
			Body: body,
		})
		out[i] = e
	}
	return out
}

func BenchmarkRecord(b *testing.B) {
	exchanges := benchExchanges()
	size := 0
	for _, e := range exchanges {
		size += len(AppendExchange(nil, e))
	}
	b.SetBytes(int64(size / len(exchanges)))
	s := newStore(b, Options{})
	b.ReportAllocs()
	for i := range b.N {
		e := *exchanges[i%len(exchanges)]
		if err := s.Record(&e); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	if info, err := os.Stat(s.Path()); err == nil {
		b.ReportMetric(float64(info.Size())/float64(b.N), "file-B/record")
	}
}

func BenchmarkExchanges(b *testing.B) {
	s := newStore(b, Options{})
	const n = 20_000
	exchanges := benchExchanges()
	size := 0
	for i := range n {
		e := *exchanges[i%len(exchanges)]
		size += len(AppendExchange(nil, &e))
		if err := s.Record(&e); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range s.Exchanges() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
