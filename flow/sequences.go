package flow

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
)

// Sequences groups exchanges, given in recorded order, into the lists that must be replayed in order. Exchanges of one
// pass that bear the client's own mark form one sequence per mark, consecutive or not. Those without form one per
// connection where every connection is known and no value goes from one to another, else one for the whole pass.
// Sequences come in the order of their first steps and bear telling, unique names. bindings and operations are what
// Bindings and Operations found in the same exchanges.
func Sequences(exchanges []*exchange.Exchange, bindings []exchange.Binding,
	operations map[uint64]exchange.Operation) []exchange.Sequence {
	separate := separatePasses(exchanges, bindings)
	var (
		order []Thread
		steps = map[Thread][]*exchange.Exchange{}
	)
	for _, e := range exchanges {
		t := ThreadOf(e)
		if t.Mark == "" && !separate[e.Pass] {
			t.Conn = 0
		}
		if steps[t] == nil {
			order = append(order, t)
		}
		steps[t] = append(steps[t], e)
	}
	names := words.Namer{}
	out := make([]exchange.Sequence, 0, len(order))
	for _, t := range order {
		s := exchange.Sequence{Name: names.Unique(sequenceName(t.Mark, steps[t], operations), "_")}
		for _, e := range steps[t] {
			s.Steps = append(s.Steps, e.Seq)
		}
		out = append(out, s)
	}
	return out
}

// Thread is what a sequence is recognised by: the client's own mark, or the connection where it gives none. It may be a
// map key.
type Thread struct {
	Pass int
	Mark string
	Conn uint64 // 0 beside a mark
}

// ThreadOf returns the thread of an exchange.
func ThreadOf(e *exchange.Exchange) Thread {
	if e.Sequence != "" {
		return Thread{Pass: e.Pass, Mark: e.Sequence}
	}
	return Thread{Pass: e.Pass, Conn: e.Conn}
}

// separatePasses returns the passes whose connections can be told apart: all are known, and no binding goes from one
// to another.
func separatePasses(exchanges []*exchange.Exchange, bindings []exchange.Binding) map[int]bool {
	separate := map[int]bool{}
	bySeq := make(map[uint64]*exchange.Exchange, len(exchanges))
	for _, e := range exchanges {
		bySeq[e.Seq] = e
		known, seen := separate[e.Pass]
		if e.Sequence == "" {
			separate[e.Pass] = (known || !seen) && e.Conn != 0
		}
	}
	for _, b := range bindings {
		from := bySeq[b.Producer.Seq]
		for _, use := range b.Uses {
			to := bySeq[use.Seq]
			if ThreadOf(from) != ThreadOf(to) && from.Pass == to.Pass {
				separate[to.Pass] = false
			}
		}
	}
	return separate
}

// sequenceName returns the mark as a name where it reads like one, else what the last step did: the steps before are
// what it took to get there.
func sequenceName(mark string, steps []*exchange.Exchange, operations map[uint64]exchange.Operation) string {
	if s := snake(mark); words.LooksLikeWord(s) {
		return s
	}
	last := steps[len(steps)-1]
	op := operations[last.Seq]
	name := strings.Trim(snake(op.Method)+"_"+snake(op.Template), "_")
	if last.Response != nil {
		return fmt.Sprintf("%s_returns_%d", name, last.Response.Status)
	}
	if last.Fault != nil {
		return name + "_fails_" + string(last.Fault.Kind)
	}
	return name
}

// snake returns the letters and digits of a text in lower case, what stands between them as single underscores, at
// most maxName bytes.
func snake(s string) string {
	var b strings.Builder
	gap := false
	for i := 0; i < len(s) && b.Len() < words.MaxName; i++ {
		c := s[i]
		if words.IsUpper(c) {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			b.WriteByte(c)
		}
		gap = c < '0' || c > '9' && c < 'a' || c > 'z'
	}
	return b.String()
}
