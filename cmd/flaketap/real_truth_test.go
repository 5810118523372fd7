package main

import (
	"slices"
	"testing"

	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// TestRealPythonTruth drives the truth API with a client of its own, which names its sequences, and with a fuzzer. Its labels say
// which statuses move.
func TestRealPythonTruth(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]string{
		"client": "flaketap demo client --rounds 19",
		"fuzzer": "schemathesis run $FLAKETAP_URL/openapi.json --seed 5 --max-examples 28 --phases examples,coverage,fuzzing,stateful --checks not_a_server_error",
	} {
		t.Run(name, func(t *testing.T) {
			b := newFuzzBench(t)
			url, stop := serveTruth(t, demoapi.Dials{})
			defer stop()
			a := &realAPI{bench: b, url: url, known: "--reset " + url + "/admin/reset"}
			a.record("flaketap.db", "--target "+url, client)
			a.replay(2, a.labelled())
		})
	}
}

// labelled returns the steps of flaketap.db whose status does not move, as the truth API's own labels have it.
func (a *realAPI) labelled() map[uint64]bool {
	a.bench.t.Helper()
	labels, err := demoapi.LoadTruth()
	if err != nil {
		a.bench.t.Fatal(err)
	}
	_, recorded := a.bench.steps("flaketap.db")
	operations := flow.Operations(recorded, flow.Bindings(recorded))
	stable := map[uint64]bool{}
	for _, e := range recorded {
		op := operations[e.Seq]
		moves := slices.ContainsFunc(labels.Operations, func(o truth.Operation) bool {
			same := o.Method == op.Method && o.Template == op.Template && e.Response != nil && o.Status == e.Response.Status
			return same && slices.ContainsFunc(o.Places, func(l truth.Label) bool { return l.Place == "/status" && l.Moves() })
		})
		stable[e.Seq] = !moves
	}
	return stable
}
