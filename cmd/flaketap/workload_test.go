package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// workload is work like that of a fuzzer: no two requests are the same, three of four ask and the fourth sends something,
// and four of five answers are new. Answers have 0.2 to 50 kB, 3.5 kB on average.
type workload struct {
	items []byte // elements of JSON, of itemSize bytes each, all different
}

const (
	itemSize  = 50
	poolItems = 40_000
)

func newWorkload() *workload {
	random, items := rand.New(rand.NewPCG(1, 2)), make([]byte, 0, poolItems*itemSize)
	for i := range poolItems {
		items = fmt.Appendf(items, `{"id":%08d,"name":"%08x","price":%07.2f},`, i, random.Uint32(), 1000+8999*random.Float64())
	}
	return &workload{items}
}

// request returns the n-th request to a host, and its method.
func (t *workload) request(n int, host string) (method string, raw []byte) {
	method = "GET"
	var body []byte
	if n%4 == 3 {
		method, body = "POST", fmt.Appendf(nil, `{"order":%d,"items":[%s]}`, n, t.some(n, 1+n%20))
	}
	raw = fmt.Appendf(nil, "%s /items/%d?page=%d HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\nUser-Agent: load\r\n", method, n, n%7, host)
	if body != nil {
		raw = fmt.Appendf(raw, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return method, append(append(raw, "\r\n"...), body...)
}

// some returns elements, without a comma at the end.
func (t *workload) some(n, count int) []byte {
	from := n * 7919 % (poolItems - count)
	return t.items[from*itemSize : (from+count)*itemSize-1]
}

// ServeHTTP answers the n-th request.
func (t *workload) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/items/"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(t.answer(n))
}

// answer is the body of the answer to the n-th request; every fifth is one of twenty that came before.
func (t *workload) answer(n int) []byte {
	if n%5 == 0 {
		n %= 100
	}
	count := 4
	switch k := n % 20; {
	case k == 19:
		count = 1000
	case k > 16:
		count = 100
	case k > 9:
		count = 20
	}
	return fmt.Appendf(nil, `{"request":%d,"items":[%s]}`, n, t.some(n, count))
}

// What the benchmarks say of distinct requests holds only if they are.
func TestWorkloadDiffers(t *testing.T) {
	work, requests, answers, bytesOf := newWorkload(), map[string]bool{}, map[string]bool{}, 0
	const n = 2000
	for i := range n {
		_, raw := work.request(i, "api")
		answer := work.answer(i)
		requests[string(raw)], answers[string(answer)] = true, true
		bytesOf += len(answer)
		if bytes.Contains(raw, []byte("\n\n")) || len(answer) < 200 || len(answer) > 51_000 {
			t.Fatalf("exchange %d is %s and %d bytes", i, raw, len(answer))
		}
	}
	if len(requests) != n || len(answers) != n*4/5+20 || bytesOf/n < 3000 || bytesOf/n > 4000 {
		t.Errorf("%d of %d requests differ, %d answers, of %d bytes on average", len(requests), n, len(answers), bytesOf/n)
	}
}
