package jest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// test follows one test, with each of the rows that it runs with where these are written out.
func (w *written) test(c testCase) *script.Test {
	t := &script.Test{Name: strings.Join(c.titles, " "), Head: w.spanOf(c.st.First, c.st.Last), Skipped: c.skipped,
		Groups: c.around}
	t.Line = t.Head.FirstLine
	w.body(t, c.fn)
	runs := w.runs(c)
	if runs == nil {
		many := w.follower(t, c)
		many.many = true
		many.follows(c, nil)
	}
	var shared *rows
	for _, run := range runs {
		one := w.follower(t, c)
		if len(run) > 0 && shared == nil {
			shared = &rows{said: map[int]*rounds{}}
		}
		one.rows = shared
		one.follows(c, run)
		if shared != nil {
			t.Runs = append(t.Runs, script.Run{From: shared.from, Place: w.turnOf(c, t, run)})
			shared.anew(t)
		}
	}
	for _, call := range t.Calls {
		call.Many = call.Many || runs == nil && call.Once == ""
	}
	return t
}

// turnOf is where a run of a test stands among all runs of the file.
func (w *written) turnOf(c testCase, t *script.Test, run []int) (out []int) {
	for _, g := range c.groups() {
		if g.table != nil {
			out = append(out, w.spanOf(g.table.x.First, g.table.x.Last).Start, run[0])
			run = run[1:]
		}
	}
	return append(out, t.Head.Start)
}

// follower is one that has not begun with a test yet.
func (w *written) follower(t *script.Test, c testCase) *follower {
	nodes := 0
	r := &follower{file: w, module: w.module, tokens: w.tokens, scopes: map[*module]*scope{}, test: t, titles: c.titles,
		site: t.Head, nodes: &nodes, seen: map[*js.Node]known{}, all: map[*js.Node]bool{},
		parsed: map[*script.Call]bool{}, lambda: map[*js.Node]bool{}}
	r.reading = r.newReading()
	return r
}

// groups are what a test is in, the outermost first, and the test itself.
func (c *testCase) groups() (out []*group) {
	for g := &c.group; g != nil; g = g.up {
		out = append(out, g)
	}
	slices.Reverse(out)
	return out
}

// runs are the runs of a test: the numbers of the rows of each table that it stands in, the outermost first. It is nil
// where one of these is not written out, and where the test compares with snapshots, of which each run has its own.
func (w *written) runs(c testCase) (out [][]int) {
	groups := c.groups()
	tables := 0
	for _, g := range groups {
		if g.many {
			return nil
		}
		if g.table != nil {
			tables++
		}
	}
	if tables == 0 {
		return [][]int{nil}
	}
	if storesShots(w.tokens, js.Block{From: c.fn.From, To: c.fn.To}) {
		return nil
	}
	for run := []int(nil); ; {
		probe := w.follower(&script.Test{}, c)
		sizes := probe.enters(groups, append(run, make([]int, tables-len(run))...), func(*group, string) {})
		if sizes == nil || len(out) == maxRows {
			return nil
		}
		run = append(slices.Clone(run), make([]int, tables-len(run))...)
		out = append(out, run)
		last := tables - 1
		for last >= 0 && run[last]+1 == sizes[last] {
			last--
		}
		if last < 0 {
			return out
		}
		run = append(slices.Clone(run[:last]), run[last]+1)
	}
}

// enters enters the scopes of what a test is in, each with its row of a run, or with values that are not known where
// the run is nil; it has done in each what is told, with the rows that were entered. It returns how many rows the
// tables have, nil where one is not written out.
func (r *follower) enters(groups []*group, run []int, in func(g *group, at string)) (sizes []int) {
	at := ""
	for _, g := range groups {
		switch {
		case g.table == nil:
		case run == nil:
			r.enter(nil)
			r.given(g.table, nil)
		default:
			all, ok := r.rowsOf(g.table)
			row := run[len(sizes)]
			if !ok || row >= len(all) {
				return nil
			}
			sizes = append(sizes, len(all))
			at += fmt.Sprintf("/%d", row)
			r.enter(nil)
			r.given(g.table, all[row])
			if r.rows != nil {
				r.rows.begins(r)
			}
		}
		r.enter(g.declared)
		in(g, at)
	}
	return sizes
}

// follows follows a run of a test: what runs before it, the outermost first, and then its own statements.
func (r *follower) follows(c testCase, run []int) {
	if r.rows != nil {
		r.rows.from, r.rows.given = len(r.test.Calls), nil
	}
	r.enters(c.groups(), run, func(g *group, at string) {
		for _, h := range g.hooks {
			fn, runs := r.file.before(h, r.titles)
			if !runs {
				continue
			}
			sent := len(r.test.Calls)
			r.call(&function{node: fn, scope: r.scope, module: r.module}, nil)
			for _, c := range r.test.Calls[sent:] {
				r.file.hooks[c] = hookOf{h, g}
			}
			once := ""
			if h.once {
				once = strconv.Itoa(h.fn.From) + at
			}
			script.SentByHook(r.test.Calls[sent:], once)
		}
	})
	r.own = true
	r.runs(c.fn)
}
