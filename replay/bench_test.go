package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// BenchmarkReplay plays 1 000 exchanges, a tenth of them with bound values, beside a bare Go client that sends the same
// requests one after the other over one connection.
func BenchmarkReplay(b *testing.B) {
	const steps = 1000
	answer, _ := json.Marshal(map[string]any{"id": 7, "note": string(bytes.Repeat([]byte("x"), 600)), "tag": random()})
	addr := serve(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.Method == "POST" {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = w.Write(answer)
	}))
	p := &tape{t: b, addr: addr}
	for i := range steps {
		if i%10 == 0 {
			e := p.add(fmt.Sprintf("POST /orders HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n", addr), `{"qty":2}`)
			e.Response = exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 201 Created\r\n\r\n"),
				Body: []byte(`{"id": 5}`), Plain: true})
			continue
		}
		id := 5
		if i%10 != 1 {
			id = 9999
		}
		p.add(fmt.Sprintf("GET /orders/%d?page=%d HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n", id, i, addr), "").Response =
			&exchange.Response{Status: 200}
	}
	bindings := flow.Bindings(p.list)
	if len(bindings) == 0 {
		b.Fatal("nothing is bound")
	}
	b.Run("flaketap", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			sum, err := (&Player{Bindings: bindings}).Play(context.Background(), p, discard{})
			if err != nil || sum.Reproduced != steps {
				b.Fatal(sum, err)
			}
		}
		b.ReportMetric(float64(b.N*steps)/b.Elapsed().Seconds(), "requests/s")
	})
	b.Run("net-http", func(b *testing.B) {
		b.ReportAllocs()
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for range b.N {
			for _, e := range p.list {
				bare(b, client, e)
			}
		}
		b.ReportMetric(float64(b.N*steps)/b.Elapsed().Seconds(), "requests/s")
	})
}

// bare sends the request of an exchange with net/http and reads the answer.
func bare(b *testing.B, client *http.Client, e *exchange.Exchange) {
	req, err := http.NewRequest(e.Request.Method, e.URL(), bytes.NewReader(e.Request.Body))
	if err != nil {
		b.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err != nil {
		b.Fatal(err)
	}
	resp.Body.Close()
}

type discard struct{}

func (discard) Observe(*exchange.Observation) error { return nil }
