package ui

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// judged is the judgement of a recording as it was in one version.
type judged struct {
	version int
	plain   *mapfile.Map // without the user's rules
	result  *analysis.Result
	bound   *analysis.Bound
}

// of reports whether it is the judgement of the recording that a state is of: that of another one tells nothing of it.
func (j *judged) of(now state) bool { return string(j.result.Recording.Key) == now.key }

// judge judges the recording when somebody wants to know, one time after the other.
type judge struct {
	live    *live
	options analysis.Options
	ctx     context.Context
	work    *sync.WaitGroup

	mu   sync.Mutex
	last *judged
	err  error         // why there is no later one
	busy chan struct{} // is closed when the judgement that is being made is there; nil where none is
}

// begin lets the judge work until the context ends.
func (j *judge) begin(ctx context.Context, work *sync.WaitGroup) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ctx, j.work, j.options.Context = ctx, work, ctx
}

// get returns a judgement: the last one while others write, and else that of the recording as it stands. It waits for
// the first one.
func (j *judge) get(ctx context.Context) (*judged, error) {
	now, _ := j.live.look()
	j.mu.Lock()
	if j.ctx == nil || now.Count == 0 {
		j.mu.Unlock()
		return nil, errNothing
	}
	if j.last != nil && !j.last.of(now) { // another recording took its place
		j.last = nil
	}
	if j.last == nil || j.last.version != now.Version && now.Holder == "" {
		j.start()
	}
	last, busy, ready := j.last, j.busy, j.last != nil
	j.mu.Unlock()
	if ready {
		return last, nil
	}
	select {
	case <-busy:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.last == nil:
		return nil, j.err
	case !j.last.of(now): // it was judged while that happened
		return nil, wrong("another recording took the place of this one: judge again")
	}
	return j.last, nil
}

// again begins a judgement of the recording as it stands.
func (j *judge) again() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx != nil {
		j.start()
	}
}

// start begins a judgement where none is being made. The caller has the lock.
func (j *judge) start() {
	if j.busy != nil {
		return
	}
	busy := make(chan struct{})
	j.busy = busy
	j.work.Go(func() {
		done, err := j.run()
		j.mu.Lock()
		if j.busy, j.err = nil, err; err == nil {
			j.last = done
		}
		j.mu.Unlock()
		close(busy)
		j.live.tell(func(s *state) {
			if err == nil {
				s.Judged = done.version
			}
		})
	})
}

// run judges the recording as it stands.
func (j *judge) run() (*judged, error) {
	now, _ := j.live.look()
	path, _ := j.live.file()
	db, err := store.OpenCopy(path) // one that stays as it is: a judgement reads several times
	if err != nil {
		return nil, err
	}
	defer db.Close()
	o := j.options
	o.Rules.Places = nil
	result, err := analysis.JudgeStored(db, o)
	if err != nil {
		return nil, err
	}
	out := &judged{version: now.Version, plain: result.Map, result: result}
	if result.Map, err = out.ruled(j.options.Rules.Places); err != nil {
		return nil, err
	}
	out.bound, err = analysis.Bind(db, o.Rules.Bindings, func(*exchange.Exchange) {})
	return out, err
}

// ruled returns the judgement as rules have it.
func (j *judged) ruled(all []rules.Rule) (*mapfile.Map, error) {
	var b bytes.Buffer
	if err := j.plain.Encode(&b, mapfile.EncodeOptions{All: true}); err != nil {
		return nil, fmt.Errorf("copy map: %w", err)
	}
	m, err := mapfile.Decode(&b)
	if err != nil {
		return nil, fmt.Errorf("copy map: %w", err)
	}
	rules.Apply(m, all)
	return m, nil
}

// age is how a judgement compares with what there is now.
type age struct {
	Count uint64 // exchanges that it is of
	Runs  int
	Old   bool // there is more by now
}

func (s *Server) age(j *judged) age {
	now, _ := s.live.look()
	return age{j.result.Recording.Count, len(j.result.Runs), now.Version != j.version}
}

// judgementView is what the panel of the judgement shows.
type judgementView struct{ Age age }

func showJudgement(s *Server, r *http.Request) (any, error) {
	j, err := s.judge.get(r.Context())
	if err != nil {
		return nil, err
	}
	return judgementView{s.age(j)}, nil
}

// judgeAgain has the recording judged as it stands, while others write into it.
func judgeAgain(s *Server, r *http.Request) (string, any, error) {
	s.judge.again()
	v, err := showJudgement(s, r)
	return "judge", v, err
}

// at returns the judgement of the places of one exchange.
func (j *judged) at(e *exchange.Exchange) (*mapfile.Operation, error) {
	op := j.result.Map.Operation(j.result.Operations[e.Seq], exchange.StatusOf(e.Response))
	if op == nil {
		return nil, wrong("exchange %d came after the last judgement: judge again", e.Seq)
	}
	return op, nil
}
