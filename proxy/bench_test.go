package proxy_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// answer is a JSON answer of about 1 kB.
var answer = func() []byte {
	body := `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"id":1234,"name":"some thing","price":12.5},`, 21), ",") + `]}`
	return []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}()

const question = "GET /items?page=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\nAccept: application/json\r\n" +
	"X-Schemathesis-TestCaseId: abc123\r\n\r\n"

type discard struct{}

func (discard) Record(*exchange.Exchange) error { return nil }

// BenchmarkRelay compares, in one run, what a client sees of an API directly, through the least that any proxy is (two
// io.Copy), and through a Proxy whose Recorder keeps nothing. Client, relay and API share the processor, as they do
// where people record.
func BenchmarkRelay(b *testing.B) {
	for _, connections := range []int{1, 32} {
		b.Run("conns="+strconv.Itoa(connections), func(b *testing.B) {
			a := listen(b, nil, answerAll)
			target := &url.URL{Scheme: "http", Host: a.addr()}
			b.Run("direct", func(b *testing.B) { drive(b, a.addr(), connections) })
			b.Run("relay", func(b *testing.B) { drive(b, bareRelay(b, a.addr()), connections) })
			b.Run("proxy", func(b *testing.B) {
				drive(b, serve(b, &proxy.Proxy{Target: target, Recorder: discard{}}), connections)
			})
		})
	}
}

// answerAll answers each request with the same bytes, as cheaply as can be.
func answerAll(c net.Conn) {
	c.SetDeadline(time.Time{})
	buf := make([]byte, 4<<10)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		for range bytes.Count(buf[:n], []byte("\r\n\r\n")) {
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	}
}

// drive sends b.N requests over connections that are kept alive.
func drive(b *testing.B, addr string, connections int) {
	b.ReportAllocs()
	todo := make(chan struct{}, connections)
	var wg sync.WaitGroup
	for range connections {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			defer c.Close()
			r := bufio.NewReaderSize(c, 8<<10)
			got := make([]byte, len(answer))
			for range todo {
				if _, err := io.WriteString(c, question); err != nil {
					b.Error(err)
					return
				}
				if _, err := io.ReadFull(r, got); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	before := cpuTime(b)
	b.ResetTimer()
	for range b.N {
		todo <- struct{}{}
	}
	close(todo)
	wg.Wait()
	// Where the machine is shared, this says more than the clock does.
	b.ReportMetric(float64((cpuTime(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

// bareRelay is a TCP relay that looks at nothing.
func bareRelay(b *testing.B, target string) string {
	a := listen(b, nil, func(client net.Conn) {
		client.SetDeadline(time.Time{})
		up, err := net.Dial("tcp", target)
		if err != nil {
			return
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			io.Copy(client, up)
			client.(*net.TCPConn).CloseWrite()
		})
		io.Copy(up, client)
		up.(*net.TCPConn).CloseWrite()
		wg.Wait()
		up.Close()
	})
	return a.addr()
}
