package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/replay/service"
)

// javaAPI is ready at once.
const javaAPI = `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

public class Api {
    public static void main(String[] args) throws Exception {
        HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
        s.createContext("/", e -> {
            e.sendResponseHeaders(200, -1);
            e.close();
        });
        s.start();
    }
}
`

// pythonAPI and nodeAPI are too, once what APIs of their kind import is there.
const (
	pythonAPI = `import http.server, json, os, ssl, urllib.request, requests, flask
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), http.server.SimpleHTTPRequestHandler).serve_forever()
`
	nodeAPI = `require('axios');
require('express')().listen(process.env.PORT, '127.0.0.1');
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
	for _, api := range []struct{ name, program, command string }{
		{"Python", python, "exec " + python + " " + write("api.py", pythonAPI) + " # {port}"},
		{"Node", "node", "NODE_PATH=" + modules + " exec node " + write("api.cjs", nodeAPI) + " # {port}"},
		{"Java", "javac", "exec java -cp " + dir + " Api # {port}"},
	} {
		b.Run(api.name, func(b *testing.B) {
			needs.Optional(b, api.program, found(api.program))
			if api.name == "Java" {
				if out, err := exec.Command("javac", "-d", dir, write("Api.java", javaAPI)).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
			externals := serve.Externals{Self: []string{program(b), "mock", "stage"}}
			outside, err := externals.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer outside.Close()
			benchmarkStart(b, service.Service{Command: api.command}, service.Service{Command: api.command, Lead: outside})
		})
	}
}

// benchmarkStart starts an API as it is and otherwise, in turns: ratio is how much longer the other start takes until the API
// is ready, of the fastest of each, which other work of the machine disturbs least; cpu-ratio how much more processor time
// all of it takes, from the start to the end, of the median of each, which that hardly disturbs.
func benchmarkStart(b *testing.B, asItIs, otherwise service.Service) {
	took, worked := [2][]time.Duration{}, [2][]time.Duration{}
	for b.Loop() {
		for which, s := range []service.Service{asItIs, otherwise} {
			begun, before := time.Now(), processorTime(b)
			i, err := s.Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			took[which] = append(took[which], time.Since(begun))
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
	report("cpu-", worked, func(all []time.Duration) time.Duration { return slices.Sorted(slices.Values(all))[len(all)/2] })
	b.ReportMetric(0, "ns/op")
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
