package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// BenchmarkReplay plays 1 000 exchanges in ten sequences, a tenth of them with bound values, beside a bare Go client that
// sends the same requests: one after the other over one connection, and eight at once.
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
		mark := strconv.Itoa(i / 100)
		if i%10 == 0 {
			e := p.add(fmt.Sprintf("POST /orders HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n", addr), `{"qty":2}`)
			e.Response = exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 201 Created\r\n\r\n"),
				Body: []byte(`{"id": 5}`), Plain: true})
			e.Sequence = mark
			continue
		}
		id := 5
		if i%10 != 1 {
			id = 9999
		}
		e := p.add(fmt.Sprintf("GET /orders/%d?page=%d HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n", id, i, addr), "")
		e.Sequence, e.Response = mark, &exchange.Response{Status: 200}
	}
	bindings := flow.Bindings(p.list)
	if len(bindings) == 0 {
		b.Fatal("nothing is bound")
	}
	order := ordered(p)
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprintf("flaketap-%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				player := &Player{Bindings: bindings, Workers: workers, Order: order}
				sum, err := player.Play(context.Background(), p, discard{})
				if err != nil || sum.Reproduced != steps {
					b.Fatal(sum, err)
				}
			}
			b.ReportMetric(float64(b.N*steps)/b.Elapsed().Seconds(), "requests/s")
		})
		b.Run(fmt.Sprintf("net-http-%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
			defer client.CloseIdleConnections()
			for range b.N {
				bareAll(b, client, p.list, workers)
			}
			b.ReportMetric(float64(b.N*steps)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// bareAll sends the requests of exchanges, several at once.
func bareAll(b *testing.B, client *http.Client, all []*exchange.Exchange, workers int) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(len(all)); i = next.Add(1) {
				if err := bare(client, all[i-1]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// bare sends the request of an exchange with net/http and reads the answer.
func bare(client *http.Client, e *exchange.Exchange) error {
	req, err := http.NewRequest(e.Request.Method, e.URL(), bytes.NewReader(e.Request.Body))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

type discard struct{}

func (discard) Observe(*exchange.Observation) error { return nil }
