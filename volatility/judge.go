package volatility

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/across"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/inorder"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/outside"
	"github.com/flaketap/flaketap/volatility/request"
)

// Options changes how Judge works. The zero value is ready to use.
type Options struct {
	// Redactor shows what is secret: the samples of secret places, and the secrets that it knows, wherever they turn
	// up.
	Redactor exchange.Redactor
	// Environment lists what belongs to the machine that the API runs on: host name, user name, temporary directory.
	// A string that is one of them, or holds one that is a path or has five letters at least, would move elsewhere.
	Environment []string
	// Outside has what external services answered the API meanwhile; nil where that is not known.
	Outside *outside.Book
}

// Judge makes the map of a recording from its steps, which come in the order of the recording, each with the
// observations of the runs in the order of the runs. operations names the operation of each exchange by Seq; one that
// is missing has its path for a template. The first error of steps ends the judgement and is returned.
func Judge(rec exchange.Recording, runs []exchange.Run, steps iter.Seq2[exchange.Step, error],
	operations map[uint64]exchange.Operation, bindings []exchange.Binding, o Options) (*mapfile.Map, error) {
	j := newJudge(rec, runs, operations, bindings, o)
	pieces := func(yield func(Piece, error) bool) {
		for step, err := range steps {
			p := Piece{Step: step}
			if err == nil && step.Exchange != nil {
				p.Operation = operationOf(step.Exchange, operations, o.Redactor)
			}
			if !yield(p, err) {
				return
			}
		}
	}
	if err := j.count(pieces); err != nil {
		return nil, err
	}
	return j.verdict(), nil
}

// count takes in all pieces.
func (j *judge) count(pieces iter.Seq2[Piece, error]) error {
	for l, err := range j.judged(pieces) {
		if err != nil {
			return fmt.Errorf("judge recording: %w", err)
		}
		j.relate(l)
	}
	return nil
}

func operationOf(e *exchange.Exchange, operations map[uint64]exchange.Operation,
	redactor exchange.Redactor) exchange.Operation {
	if op, ok := operations[e.Seq]; ok {
		return op
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	return exchange.Operation{Method: e.Request.Method, Template: redactor.Show("", path)}
}

// judge is the state of a judgement: what it grows by is operations and places, not exchanges.
type judge struct {
	rec         exchange.Recording
	options     Options
	environment []string // the words of Options.Environment that are looked for
	reader      compare.Reader
	runs        *runBook

	operations   map[operationKey]*operation
	refusals     map[exchange.Operation]*inorder.Refusals
	steps        uint64          // that were taken in
	pending      []relationInput // of the present step
	counterLimit float64         // what a counter may grow by from one run to the next

	// What earlier steps showed that may explain values of later ones.
	across  *across.State
	client  *request.MadeUp
	repeats *repeatedRequests // nil where there are runs
}

func newJudge(rec exchange.Recording, runs []exchange.Run, operations map[uint64]exchange.Operation,
	bindings []exchange.Binding, o Options) *judge {
	j := &judge{
		rec: rec, options: o, runs: newRunBook(rec, runs),
		operations:   make(map[operationKey]*operation),
		refusals:     make(map[exchange.Operation]*inorder.Refusals),
		counterLimit: 20 + 2*float64(rec.Count),
		across:       across.NewState(rec, runs, request.NewEarlier(bindings, operations)),
		client:       request.NewMadeUp(runs),
	}
	for _, word := range o.Environment {
		if len(word) >= 2 && word != "localhost" {
			j.environment = append(j.environment, word)
		}
	}
	if len(runs) == 0 {
		j.repeats = &repeatedRequests{make(map[repeatKey]*compare.Answer), j.across}
	}
	return j
}

// answerView is one answer with what its values are held against: the recorded one, or that of a run.
type answerView struct {
	answer  *compare.Answer
	request *exchange.Request
	run     int // 0 for the recording
	at      notation.Span
	window  notation.Span // from the begin of the run, or of the pass, to the answer
	values  request.Values
	adapted bool          // the request differs from the recorded one: bound values, the authority
	age     time.Duration // since the last request of the run that made something; 0 where there was none
	moved   bool          // the answer differs from the one that it is held against

	settling    *exchange.Settling // what became of it when it was asked for again
	against     *answerView        // what the answer was held against already, see differs
	differences []compare.Difference
}

// recorded returns the recorded answer, which is not read yet.
func (j *judge) recorded(e *exchange.Exchange) *answerView {
	s := &answerView{request: &e.Request, at: notation.Span{From: e.Start, To: e.Start.Add(e.Latency)}}
	if s.at.Known() {
		s.window = notation.Span{From: j.across.StartOf(-e.Pass, e.Start), To: s.at.To}
	}
	s.values = request.ValuesOf(&e.Request)
	return s
}

func (j *judge) observation(o *exchange.Observation, rec *answerView) *answerView {
	s := j.asked(o, rec)
	s.answer = j.reader.Read(o.Response, o.Fault)
	return s
}

// asked returns an observation whose answer is not read yet.
func (j *judge) asked(o *exchange.Observation, rec *answerView) *answerView {
	s := &answerView{
		request: &o.Sent, run: o.Run,
		at: notation.Span{From: o.Start, To: o.Start.Add(o.Latency)}, values: rec.values, settling: o.Settling,
	}
	if s.at.Known() {
		s.window = notation.Span{From: j.across.StartOf(o.Run, o.Start), To: s.at.To}
	}
	if len(o.Sent.Head) == 0 && o.Sent.Target == "" { // not kept by the source
		s.request = rec.request
		return s
	}
	if o.Sent.Target != rec.request.Target || !bytes.Equal(o.Sent.Body, rec.request.Body) ||
		o.Sent.Header.Get("Host") != rec.request.Header.Get("Host") || j.runs.perturbed[o.Run] != "" {
		s.values, s.adapted = request.ValuesOf(&o.Sent), true
	}
	return s
}

// step takes in one exchange and what the runs answered in its place.
func (j *judge) step(s *readStep) *judgedStep {
	e, op := s.Step.Exchange, s.Operation
	key := operationKey{Operation: op}
	if e.Response != nil {
		key.status = e.Response.Status
	}
	o := j.operations[key]
	if o == nil {
		o = newOperation(key, &j.across.Hosts)
		if j.refusals[op] == nil {
			j.refusals[op] = &inorder.Refusals{}
		}
		o.refusals = j.refusals[op]
		j.operations[key] = o
	}
	o.exchanges++
	if e.Response != nil && e.Request.Method == "GET" {
		o.kept = max(o.kept, e.Response.Freshness())
	}
	rec := s.rec
	seen := j.sortOut(s)
	views := seen.views
	for _, p := range seen.perturbed {
		j.takePerturbed(o, rec, p.Observation, p.atOnce)
	}
	j.takeClients(o, rec, seen.clients)
	if j.runs.playedOn != nil {
		j.takeMachines(e.Seq, o, views)
	}
	for _, s := range views {
		j.followOutside(e.Seq, o, rec, s)
		if s.adapted {
			j.client.Learn(op, rec.values, s.values, s.run)
		}
	}
	j.tellAges(e, rec, views)
	j.analyze(j.newAnalysis(e, o, rec, views))
	j.noteCreated(e, rec, views)
	j.countAsRecorded(e, o, rec, views)
	j.noteRefusals(o, rec, views)
	j.rows(e, o, rec, seen.rows)
	l := &judgedStep{relations: j.pending, size: s.size}
	j.pending = nil
	for _, s := range views {
		l.released = append(l.released, s.answer)
	}
	if j.repeats == nil { // else it is kept
		l.released = append(l.released, rec.answer)
	}
	return l
}

// maxTogether is how many observations of one step are looked at together: [mark] has a bit for each.
const maxTogether = 63

// rows takes in what repeat runs answered: the first answer of each that has the recorded status stands for the
// recorded one, and the others of its run, which came right after it, are held against it.
func (j *judge) rows(e *exchange.Exchange, o *operation, rec *answerView, all []*exchange.Observation) {
	for row := range rowsOf(all) {
		for i, ob := range row {
			first := j.observation(ob, rec)
			if !first.answer.SameStatus(rec.answer) {
				continue
			}
			others := j.views(slices.Delete(row, i, i+1), first)
			own := counters(first, others[i:])
			for some := range slices.Chunk(others, maxTogether) {
				w := j.newAnalysis(e, o, first, some)
				w.inRow, w.counters = true, own
				j.analyze(w)
			}
			break
		}
	}
}

// rowsOf parts observations by their runs, which follow each other.
func rowsOf(all []*exchange.Observation) iter.Seq[[]*exchange.Observation] {
	return func(yield func([]*exchange.Observation) bool) {
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Run == all[0].Run {
				n++
			}
			row := all[:n]
			if all = all[n:]; !yield(row) {
				return
			}
		}
	}
}

// counters finds the places that each answer of a row has counted on by the same step, in whatever order those sent at
// one instant came to it: that is what the request itself does to the API, as a number of visits that every visit
// raises, and would be the same in every run.
func counters(first *answerView, others []*answerView) map[exchange.Place]bool {
	counts := map[exchange.Place][]float64{}
	for i, s := range others {
		if !s.answer.SameStatus(first.answer) {
			return nil
		}
		for _, d := range first.answer.Differences(s.answer) {
			x, y, ok := counted(notation.ScalarOf(d.Before), notation.ScalarOf(d.After))
			if ok && i == 0 {
				counts[d.Place] = []float64{x}
			}
			if c := counts[d.Place]; ok && len(c) == i+1 && x == c[0] {
				counts[d.Place] = append(c, y)
			}
		}
	}
	own := map[exchange.Place]bool{}
	for place, c := range counts {
		own[place] = len(c) == len(others)+1 && len(others) >= minRow && inorder.Evenly(c)
	}
	return own
}

// minRow is how many answers after the first have to count on.
const minRow = 3

// views reads observations, to be held against rec.
func (j *judge) views(observations []*exchange.Observation, rec *answerView) []*answerView {
	all := make([]*answerView, len(observations))
	for i, ob := range observations {
		all[i] = j.observation(ob, rec)
	}
	return all
}

// newAnalysis gathers what a look at an answer needs: rec is the answer that all the others are held against.
func (j *judge) newAnalysis(e *exchange.Exchange, o *operation, rec *answerView, all []*answerView) *stepAnalysis {
	w := &stepAnalysis{judge: j, operation: o, exchange: e, fingerprint: exchange.Exact(e), rec: rec, all: all}
	if e.Addr != e.Request.Header.Get("Host") && strings.Contains(e.Addr, ":") {
		w.dialed = e.Addr
	}
	if i := strings.LastIndexByte(e.Addr, ':'); len(e.Addr)-i > len(":999") && notation.AllDigits(e.Addr[i+1:]) {
		w.port = e.Addr[i+1:]
	}
	w.host = hostOf(rec.request)
	j.noteHosts(rec, all)
	for _, v := range all {
		if v.answer.SameStatus(rec.answer) {
			w.same = append(w.same, v)
		}
	}
	return w
}

// count counts what an answer and its observations show.
func (w *stepAnalysis) count() {
	w.judge.steps++
	for _, s := range w.all {
		if s.at.Known() && w.rec.at.Known() {
			w.operation.apart = max(w.operation.apart, s.at.From.Sub(w.rec.at.From).Abs())
		}
	}
	w.status()
	w.measures()
	w.takeRecorded()
	for i := range w.same {
		w.differences(i)
	}
	w.seeRunPatterns()
	w.reexamineRecorded()
}

// analyze counts what an answer and its observations show, and has relations looked for in them.
func (j *judge) analyze(w *stepAnalysis) {
	w.count()
	r := w.relationInput()
	if j.repeats != nil { // which may look at the answer again while later ones are judged
		r.relate()
		j.repeats.compare(w)
		return
	}
	j.pending = append(j.pending, r)
}

// hostOf returns the authority that a request names, where it is telling enough to be looked for in values.
func hostOf(r *exchange.Request) string {
	if h := r.Header.Get("Host"); len(h) >= 5 {
		return h
	}
	return ""
}
