package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/coverage"
	"github.com/flaketap/flaketap/mock/hooks"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
)

// claims is a service of Spring Boot that calls three others, under JaCoCo's agent.
type claims struct {
	dir      string // what is built
	jars     string
	requests []search.Request
	words    search.Words // of its source
}

// claimsHosts are the services that it calls.
var claimsHosts = []string{"registry.example.com", "garages.example.net", "203.0.113.20"}

func buildClaims(t *testing.T) *claims {
	t.Helper()
	needs.That(t, "a JDK", found("javac") && found("java"))
	jars, there := toolsDir(t, "spring")
	needs.That(t, "Spring Boot: make eval copies it with Maven", there)
	b := newBench(t)
	source, err := filepath.Abs("testdata/external/claims")
	if err != nil {
		t.Fatal(err)
	}
	b.must(quickJavac + " -g -parameters -d classes -cp '" + jars + "/*' " + source + "/*.java")
	c := &claims{dir: b.dir, jars: jars}
	files, err := filepath.Glob(source + "/*.java")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		c.words.Add(read(t, f))
	}
	for line := range strings.Lines(string(read(t, source+"/requests.txt"))) {
		r, ok := archive.ParseRequest(line)
		if !ok {
			t.Fatalf("no request: %q", line)
		}
		c.requests = append(c.requests, r)
	}
	return c
}

// covering runs trials, and keeps what code of the API each ran that none before it had.
type covering struct {
	*serve.Trials
	anew [][]string // the first: that ran when it started
}

func (c *covering) Try(ctx context.Context, t search.Trial) (search.Outcome, error) {
	out, err := c.Trials.Try(ctx, t)
	c.anew = append(c.anew, out.Covered)
	return out, err
}

// open starts the service for trials, with the hooks of the JVM or without.
func (c *claims) open(t *testing.T, hooked bool) *covering {
	t.Helper()
	agents, err := filepath.Glob(c.jars + "/org.jacoco.agent-*-runtime.jar")
	if err != nil || len(agents) != 1 {
		t.Fatalf("JaCoCo's agents: %q, %v", agents, err)
	}
	port := freePort(t)
	command := fmt.Sprintf("exec %s -javaagent:%s=output=tcpserver,port=%s,includes='claims.*' -cp '%s/classes:%s/*' claims.Application --server.port={port}",
		quickJava, agents[0], port, c.dir, c.jars)
	api := openTrials(t, command, 3*time.Minute, claimsPatience)
	if api.Coverage, err = coverage.Open("jacoco:127.0.0.1:" + port); err != nil {
		t.Fatal(err)
	}
	if hooked {
		needs.That(t, "the hooks of the JVM: make agent", hooks.FindAgent(program(t)) != "")
		if err := api.Hook(); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	begun, err := api.Coverage.Covered(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &covering{api, [][]string{begun}}
}

// claimsPatience is for a busy machine: the service itself gives up after a second, each call for itself.
const claimsPatience = 15 * time.Second

// curve says of which lines and branches what has run is, after so many trials, or all that there were.
func (c *claims) curve(t *testing.T, anew [][]string, after []int) string {
	t.Helper()
	var script strings.Builder
	at := 0
	for _, n := range after {
		for ; at < min(n+1, len(anew)); at++ {
			for _, item := range anew[at] {
				fmt.Fprintln(&script, item)
			}
		}
		fmt.Fprintf(&script, "=%d\n", n)
	}
	cmd := exec.CommandContext(t.Context(), "java", "-cp", c.jars+"/*", "testdata/external/Covered.java", c.dir+"/classes")
	cmd.Stdin, cmd.Stderr = strings.NewReader(script.String()), os.Stderr
	told, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(told)
}

// The lines and branches of a service of Spring Boot that run with services that answer nothing but 404, with random
// answers, and with those that are searched, by what JaCoCo's agent says, after each number of trials.
func TestEvalMockSearchCoverage(t *testing.T) {
	c, trials := buildClaims(t), evalTrials(t)
	after := []int{0, 8, 50, 100, 200, 400, 600, 1000, 1500}
	for len(after) > 1 && after[len(after)-1] > trials {
		after = after[:len(after)-1]
	}
	searched := func(api search.API) {
		o := search.Options{Requests: c.requests, Words: &c.words, Trials: trials, Seed: 1, Patience: claimsPatience}
		if _, err := search.Run(t.Context(), api, o); err != nil {
			t.Fatal(err)
		}
	}
	reached := map[string]int{}
	for _, run := range []struct {
		name   string
		hooked bool
		with   func(*covering)
	}{
		{"without mocks", false, func(api *covering) {
			for i := range trials {
				trial := search.Trial{Request: c.requests[i%len(c.requests)], Stubs: []byte(`{"mappings": []}`)}
				if _, err := api.Try(t.Context(), trial); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"random mocks", false, func(api *covering) { randomTrials(t, api, c.requests, claimsHosts, &c.words, trials) }},
		{"searched", false, func(api *covering) { searched(api) }},
		{"searched, told no coverage", false, func(api *covering) { searched(untold{api}) }},
		{"searched, with hooks", true, func(api *covering) { searched(api) }},
	} {
		t.Run(run.name, func(t *testing.T) {
			api := c.open(t, run.hooked)
			run.with(api)
			curve := c.curve(t, api.anew, after)
			t.Logf("%s, %d trials: after, lines, of, branches, of\n%s", run.name, len(api.anew)-1, curve)
			last := strings.Split(strings.TrimSpace(curve), "\n")[len(after)-1]
			var trials, lines int
			if _, err := fmt.Sscan(last, &trials, &lines); err != nil {
				t.Fatal(err)
			}
			reached[run.name] = lines
		})
	}
	if searched, random := reached["searched"], reached["random mocks"]; searched > 0 && searched <= random {
		t.Errorf("%d lines are reached by the search, %d by random answers", searched, random)
	}
}

// untold keeps from a search what code has run.
type untold struct{ api search.API }

func (u untold) Try(ctx context.Context, t search.Trial) (search.Outcome, error) {
	out, err := u.api.Try(ctx, t)
	out.Covered = nil
	return out, err
}
