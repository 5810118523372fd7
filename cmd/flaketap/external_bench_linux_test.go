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

// BenchmarkMockStart starts an API by itself and led, in turns: ratio is how much longer a led start takes until the API
// is ready, of the fastest of each, which other work of the machine disturbs least; cpu-ratio how much more processor time
// all of it takes, from the start to the end, which that hardly disturbs.
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
			benchmarkStart(b, api.command)
		})
	}
}

func benchmarkStart(b *testing.B, command string) {
	externals := serve.Externals{Self: []string{program(b), "mock", "stage"}}
	outside, err := externals.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer outside.Close()
	took, worked := map[bool][]time.Duration{}, map[bool]time.Duration{}
	for b.Loop() {
		for _, led := range []bool{false, true} {
			s := &service.Service{Command: command}
			if led {
				s.Lead = outside
			}
			begun, before := time.Now(), processorTime(b)
			i, err := s.Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			took[led] = append(took[led], time.Since(begun))
			if err := i.Stop(); err != nil {
				b.Fatal(err)
			}
			worked[led] += processorTime(b) - before
		}
	}
	fastest := func(led bool) float64 { return slices.Min(took[led]).Seconds() * 1000 }
	b.ReportMetric(fastest(false), "ms/unled")
	b.ReportMetric(fastest(true), "ms/led")
	b.ReportMetric(fastest(true)/fastest(false), "ratio")
	b.ReportMetric(worked[true].Seconds()/worked[false].Seconds(), "cpu-ratio")
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
