package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/replay/service"
)

// The APIs that are started say when they are ready, in seconds since 1970: flaketap itself looks now and then only.
// javaAPI, goAPI and bareNodeAPI are ready at once, pythonAPI and nodeAPI once what APIs of their kind import is there.
const (
	javaAPI = `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Api {
    public static void main(String[] args) throws Exception {
        HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
        s.createContext("/", e -> {
            e.sendResponseHeaders(200, -1);
            e.close();
        });
        s.start();
        System.out.println("ready " + System.currentTimeMillis() / 1000.0);
    }
}
`
	goAPI = `package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	fmt.Println("ready", float64(time.Now().UnixMicro())/1e6)
	panic(http.Serve(l, http.NotFoundHandler()))
}
`
	pythonAPI = `import http.server, json, os, ssl, time, urllib.request, requests, flask
s = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), http.server.SimpleHTTPRequestHandler)
print("ready", time.time(), flush=True)
s.serve_forever()
`
	nodeAPI = `require('axios');
require('express')().listen(process.env.PORT, '127.0.0.1', () => console.log('ready', Date.now() / 1000));
`
	bareNodeAPI = `require('http').createServer().listen(process.env.PORT, '127.0.0.1', () => console.log('ready', Date.now() / 1000));
`
)

// BenchmarkMockStart starts an API by itself and led.
func BenchmarkMockStart(b *testing.B) {
	dir := b.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		return path
	}
	modules, _ := filepath.Abs(filepath.Join("..", "..", ".tools", "node", "node_modules"))
	python := cmp.Or(os.Getenv("FLAKETAP_VENV"), filepath.Join("..", "..", ".tools", "venv")) + "/bin/python"
	for _, api := range []struct {
		name, program, command string
		build                  []string
	}{
		{"Python", python, "exec " + python + " " + write("api.py", pythonAPI), nil},
		{"Node", "node", "NODE_PATH=" + modules + " exec node " + write("api.cjs", nodeAPI), nil},
		{"NodeBare", "node", "exec node " + write("bare.cjs", bareNodeAPI), nil},
		{"Java", "javac", "exec java -cp " + dir + " Api", []string{"javac", "-d", dir, write("Api.java", javaAPI)}},
		{"Go", "go", "exec " + dir + "/api", []string{"go", "build", "-o", dir + "/api", write("api.go", goAPI)}},
	} {
		b.Run(api.name, func(b *testing.B) {
			needs.Optional(b, api.program, found(api.program))
			if api.build != nil {
				if out, err := exec.Command(api.build[0], api.build[1:]...).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
			externals := serve.Externals{Self: []string{program(b), "mock", "stage"}}
			outside, err := externals.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer outside.Close()
			asItIs := service.Service{Command: api.command + " # {port}", Log: filepath.Join(dir, "log")}
			led := asItIs
			led.Lead = outside
			benchmarkStart(b, asItIs, led)
		})
	}
}

// benchmarkStart starts an API as it is and otherwise, in turns: ratio is how much longer the other start takes until the API
// is ready, of the fastest of each, which other work of the machine disturbs least; median-ratio the same of the median of
// each; cpu-ratio how much more processor time all of it takes, from the start to the end, of the median of each, which
// that hardly disturbs.
func benchmarkStart(b *testing.B, asItIs, otherwise service.Service) {
	took, worked := [2][]time.Duration{}, [2][]time.Duration{}
	order := []int{0, 1}
	for b.Loop() {
		slices.Reverse(order) // what ends still takes a while from what starts behind it
		for _, which := range order {
			s := []service.Service{asItIs, otherwise}[which]
			begun, before := time.Now(), processorTime(b)
			i, err := s.Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			ready := time.Now()
			if s.Log != "" {
				ready = saidReady(b, s.Log)
			}
			took[which] = append(took[which], ready.Sub(begun.Round(0))) // by the clock that the API looks at
			if err := i.Stop(); err != nil {
				b.Fatal(err)
			}
			worked[which] = append(worked[which], processorTime(b)-before)
		}
	}
	report := func(unit string, of [2][]time.Duration, one func([]time.Duration) time.Duration) {
		first, second := one(of[0]).Seconds(), one(of[1]).Seconds()
		b.ReportMetric(first*1000, unit+"ms")
		b.ReportMetric(second*1000, unit+"ms/otherwise")
		b.ReportMetric(second/first, unit+"ratio")
	}
	report("", took, slices.Min)
	median := func(all []time.Duration) time.Duration { return slices.Sorted(slices.Values(all))[len(all)/2] }
	report("median-", took, median)
	report("cpu-", worked, median)
	b.ReportMetric(0, "ns/op")
}

var readyLine = regexp.MustCompile(`(?m)^ready (.+)\n`)

// saidReady is when an API said in its log that it is ready.
func saidReady(b *testing.B, log string) time.Time {
	var text []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); { // the log is written beside
		var err error
		if text, err = os.ReadFile(log); err != nil {
			b.Fatal(err)
		}
		if said := readyLine.FindSubmatch(text); said != nil {
			seconds, err := strconv.ParseFloat(string(said[1]), 64)
			if err != nil {
				b.Fatal(err)
			}
			return time.UnixMicro(int64(seconds * 1e6))
		}
		time.Sleep(time.Millisecond)
	}
	b.Fatalf("the API does not say when it is ready: %s", text)
	return time.Time{}
}

// processorTime is what this process has taken, and those that it started and that have ended.
func processorTime(b *testing.B) (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
