package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/truth"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestEvalStrengthen measures what patch --strengthen gives a suite in EvoMaster's style of the shop: how many faults
// in the answers are told by the suite as it was, patched, and strengthened, without and with trials of other orders;
// and how often the strengthened ones fail on the sound shop. The suite is one whose tests pass on a shop that stands
// still, as those that fail tell nothing, and the answers are those of that shop.
func TestEvalStrengthen(t *testing.T) {
	s := newGeneratedSuite(t, 3)
	b, listen := s.bench, freeAddr(t)
	frozen := " --start \"FLAKETAP_TEST_AS_FROZEN=127.0.0.1:{port} exec '" + testBinary(t) + "'\" --ready http://127.0.0.1:{port}/health" +
		" --reset http://127.0.0.1:{port}/admin/reset --listen " + listen
	s.passing(listen, frozen)
	form := liveForms()["python"]
	patched := s.patched(form, listen)
	db := patched.dir + ".db" // of the suite that holds
	reset := " --target " + s.url + " --reset " + s.url + "/admin/reset"
	b.must("flaketap patch --strengthen --db " + db + " --report stronger.json --out stronger " + patched.dir)
	b.must("flaketap patch --strengthen --db " + db + reset + " --report tried.json --out tried " + patched.dir)
	for _, dir := range []string{"stronger", "tried"} {
		report := b.patchReport(dir+".json", form.file)
		t.Logf("%s: %d assertions, %d added", dir, report.Assertions, report.Added)
		if report.Added == 0 {
			t.Errorf("%s: nothing was added", dir)
		}
		strengthened := *patched
		strengthened.dir, strengthened.command = dir, form.ready(b, dir, s.url+"/admin/reset")
		strengthened.holds()
		b.must("rm -f run*.db")
	}
	b.must("flaketap record --db still.db" + frozen + " -- " + form.ready(b, "tried", "")(1))
	faults := scoreRecorded(t, b, "still.db", db, form.file, "suite", patched.dir, "stronger", "tried")
	logTellable(t, faults)
	for _, volatile := range []bool{false, true} {
		var told [4]int
		planted, still := 0, 0 // of those that the suite tells, by the patched one
		for _, f := range faults {
			if f.volatile != volatile {
				continue
			}
			planted++
			for i := range f.told {
				if f.told[i] {
					told[i]++
				}
			}
			if f.told[0] && f.told[1] {
				still++
			}
		}
		t.Logf("of %d faults at places that move %v: the suite tells %d, patched %d (%d of those), strengthened %d, by trials too %d",
			planted, volatile, told[0], told[1], still, told[2], told[3])
		if !volatile && (still*100 < 98*told[0] || told[2] <= told[1] || told[3] <= told[0]) {
			t.Error("patched, it is to tell 98 % of what the suite tells where nothing moves, and strengthened by trials more")
		}
	}
}

// scoredFault is a fault in answers, and which suites tell it.
type scoredFault struct {
	volatile bool   // it is at a place that moves
	sound    string // why the sound shop could answer so at another time, by its labels; "" where it could not
	told     [4]bool
}

// soundAnswer says why the sound shop could give the answer with a fault in it another time, by what its labels say of
// the place and by the kind of the fault alone, whatever any suite says of it; "" where it could not, so that some true
// statement tells it.
func soundAnswer(labels truth.Truth, m mutant.Mutant) string {
	at := func(p exchange.Place) truth.Label {
		for _, o := range labels.Operations {
			if o.Method == m.Operation.Method && o.Template == m.Operation.Template && o.Status == m.Status {
				for _, l := range labels.Labels(&o) {
					if l.Place.Matches(p) {
						return l
					}
				}
			}
		}
		return truth.Label{}
	}
	l, by := at(m.Place), strings.TrimLeft(m.Way, "+-")
	switch {
	case m.Kind == mutant.Off && l.Moves() && l.Label != string(mapfile.Time) && by == "1":
		return "the next number drawn or counted"
	case m.Kind == mutant.Off && l.Label == string(mapfile.Time) && l.Needs == "" && (by == "1" || by == "3s"):
		return "a request that takes a moment longer"
	case m.Kind == mutant.Element && m.Way == "removed" && l.List && l.Label == string(mapfile.Rand):
		return "another list drawn"
	case m.Kind == mutant.Drop && l.Label == string(mapfile.Rand) && strings.Contains(l.Note, "there in one of"):
		return "a member that comes and goes"
	}
	return ""
}

// logTellable logs how many of the faults at places that move, and that the suite tells, are told by the others, those
// apart that the sound shop could answer too.
func logTellable(t *testing.T, faults []scoredFault) {
	t.Helper()
	var told [4]int
	apart := map[string]int{}
	for _, f := range faults {
		switch {
		case !f.volatile || !f.told[0]:
		case f.sound != "":
			apart[f.sound]++
		default:
			for i := range f.told {
				if f.told[i] {
					told[i]++
				}
			}
		}
	}
	t.Logf("of %d faults at places that move, told by the suite, that the sound shop could not answer: patched %d, strengthened %d, "+
		"by trials too %d; apart: %v", told[0], told[1], told[2], told[3], apart)
	if told[1]*100 < 80*told[0] {
		t.Error("patched, it is to tell 80 % of the faults at places that move which some true statement tells")
	}
}

// movesIn reports whether a map calls a place, or what it is in, volatile.
func movesIn(m *mapfile.Map, operation exchange.Operation, status int, place exchange.Place) bool {
	op := m.Operation(operation, status)
	for p := place; op != nil && p != ""; p = p.Parent() {
		if f := op.At(p); f != nil && f.Volatile() {
			return true
		}
	}
	return false
}

// scoreRecorded plants faults in the recorded answers to a suite, and returns of each which of the suites, in folders
// with a file of one name, tells it: some statement that holds of the answers as they are does not hold then. Faults
// that change nothing that the recording has are left out. runs is a recording with runs, which tell what is volatile.
func scoreRecorded(t *testing.T, b *bench, db, runs, file string, folders ...string) (tells []scoredFault) {
	t.Helper()
	j, err := analysis.JudgeWithSteps(filepath.Join(b.dir, db), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src, survey := sourceFrom(j), &mutant.Survey{}
	for _, s := range src.Steps {
		survey.Add(src.Operations[s.Exchange.Seq], s.Exchange.Response)
	}
	failing := func(folder string, src suite.Source) map[int]bool {
		name := filepath.Join(b.dir, folder, file)
		s, err := suite.Read(name, read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := map[int]bool{}
		for _, v := range suite.Bind(s, src, nil).Verdicts() {
			if v.Failed > 0 {
				lines[v.Line] = true
			}
		}
		return lines
	}
	sound := map[string]map[int]bool{}
	for _, folder := range folders {
		sound[folder] = failing(folder, src)
	}
	labels, err := demoapi.LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	moving, err := analysis.JudgeWithSteps(filepath.Join(b.dir, runs), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range survey.Mutants(mutant.Kinds(), 300, 1, func(op exchange.Operation, status int, p exchange.Place) mutant.Judgement {
		return mutant.Judgement{Volatile: movesIn(moving.Map, op, status, p)}
	}) {
		broken, planted := src, false
		broken.Steps = slices.Clone(src.Steps)
		for i, s := range src.Steps {
			if src.Operations[s.Exchange.Seq] != m.Operation || s.Exchange.Response == nil {
				continue
			}
			if raw, changed := m.Apply(s.Exchange.Response); changed {
				head := bytes.Index(raw, []byte("\r\n\r\n")) + 4
				e := *s.Exchange
				e.Response = exchange.ParseResponse(exchange.Message{Head: raw[:head], Body: raw[head:], Plain: true})
				broken.Steps[i], planted = exchange.Step{Exchange: &e}, true
			}
		}
		if !planted {
			continue
		}
		of := scoredFault{volatile: m.Volatile, sound: soundAnswer(labels, m)}
		for i, folder := range folders {
			for line := range failing(folder, broken) {
				of.told[i] = of.told[i] || !sound[folder][line]
			}
		}
		if of.told != [4]bool{true, true, true, true} {
			t.Logf("%s: told by %v %s", m, of.told, of.sound)
		}
		tells = append(tells, of)
	}
	return tells
}
