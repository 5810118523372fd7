package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// newTrip is a bench with an API in Node and stubs for the three services that it asks.
func newTrip(t *testing.T) (b *bench, led string) {
	t.Helper()
	needs.That(t, "Node and curl", found("node") && found("curl"))
	b = newBench(t)
	b.env = append(b.env, "TMPDIR="+b.dir)
	b.write("trip.cjs", read(t, "testdata/external/trip.cjs"))
	b.must("mkdir stubs")
	b.write("stubs/all.json", []byte(`{"mappings": [
  {"request": {"urlPath": "/today"}, "response": {"jsonBody": {"temp": 11}}},
  {"request": {"urlPath": "/latest"}, "response": {"jsonBody": {"usd": 1.5, "eur": 1}}},
  {"request": {"urlPath": "/hotels"}, "response": {"jsonBody": [{"name": "Adler"}]}}]}`))
	return b, "--start 'node trip.cjs # {port}' --ready http://127.0.0.1:{port}/health --external"
}

// A change of one value shows all that follows it and nothing else, though nothing moves in plain runs, and though the API
// fails where services do.
func TestRealNodeExternalsChange(t *testing.T) {
	b, led := newTrip(t)
	b.must("flaketap record --listen 127.0.0.1:0 " + led + " --stubs stubs -- sh -c 'curl -sf $FLAKETAP_URL/trip && curl -sf $FLAKETAP_URL/trip'")
	b.must("flaketap replay --runs 2 --perturb externals=changed,externals=down " + led)
	b.must("flaketap map --out map.json")
	got := map[string]string{}
	for _, o := range b.readMap("map.json").Operations {
		for _, f := range o.Fields {
			for _, e := range f.Evidence {
				if e := mapfile.ParseEvidence(e); e.Sign == mapfile.SignFollowsExternal {
					got[string(f.Place)] += string(f.Judgement) + " " + e.Detail
				}
			}
		}
	}
	want := map[string]string{
		"/body/degrees": "would-move weather.example.com:8080/today#/temp",
		"/body/price":   "would-move rates.example.com/latest#/usd",
		"/body/hotel":   "would-move 203.0.113.7:8081/hotels#/*/name",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("what follows services is\n%v, want\n%v", got, want)
	}
}

// When flaketap is killed while it leads an API, the API ends with all that it started, a daemon too, and the next start
// finds its way.
func TestRealNodeExternalKilled(t *testing.T) {
	b, led := newTrip(t)
	up, over := b.hold("alive")
	daemon := `setsid -f sh -c "exec >alive; sleep 1000"; ` // it leaves the group of processes
	p := b.run(nil, "record", "--listen", "127.0.0.1:0", "--start", "exec 9>alive; "+daemon+"exec node trip.cjs # {port}",
		"--ready", "http://127.0.0.1:{port}/health", "--external", "--stubs", "stubs")
	out, status := b.sh("curl -sf " + p.url() + "/trip")
	if status != 0 || !strings.Contains(out, "Adler") {
		t.Fatalf("the API says %q", out)
	}
	await(t, up)
	p.signal(syscall.SIGKILL)
	<-p.over
	await(t, over)
	for _, command := range []string{"record --db next.db", "record --append"} {
		out := b.must("flaketap " + command + " --listen 127.0.0.1:0 " + led + " --stubs stubs -- sh -c 'curl -sf $FLAKETAP_URL/trip'")
		if !strings.Contains(out, `"hotel":"Adler"`) || !strings.Contains(out, "weather.example.com:8080: 1 call, 0 without a stub") {
			t.Errorf("%s says\n%s", command, out)
		}
	}
}
