package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
)

// The bounds on what is told of operations that not all of several recordings have.
const (
	maxChanged = 10    // are listed one by one
	maxAdded   = 5_000 // requests of an older recording are looked at
)

// changed tells which operations the newest recording has and an older one lacks, and the other way around: the API, or
// its client, is another one since.
func (j *joined) changed(r *Result, rules flow.Rules) ([]string, error) {
	var lines []string
	missing := map[exchange.Operation][]string{} // the older recordings that lack an operation
	for _, o := range j.older {
		has := map[exchange.Operation]bool{}
		for seq, op := range r.Operations {
			has[op] = has[op] || o.of[seq] != 0
		}
		gone, err := o.gone(has, rules)
		if err != nil {
			return nil, err
		}
		for _, op := range gone {
			lines = append(lines, fmt.Sprintf("%s is in %s, and no longer in the newest recording",
				console.OneLine(r.Redactor.Show("", op.String())), o.name))
		}
		for op, there := range has {
			if !there {
				missing[op] = append(missing[op], o.name)
			}
		}
	}
	var began []string
	for op, names := range missing {
		began = append(began, fmt.Sprintf("%s is in the newest recording, and not in %s", console.OneLine(op.String()),
			strings.Join(names, ", ")))
	}
	slices.Sort(began)
	lines = append(began, lines...)
	if n := len(lines); n > maxChanged {
		lines = append(lines[:maxChanged], fmt.Sprintf("and %s that not all recordings have",
			console.Count(n-maxChanged, "further operation")))
	}
	return lines, nil
}

// gone returns the operations of an older recording that are none of the newest, in their order. It marks in has those
// of the newest that only other requests were of.
func (o *older) gone(has map[exchange.Operation]bool, rules flow.Rules) ([]exchange.Operation, error) {
	var (
		outliner flow.Outliner
		added    []*exchange.Exchange
	)
	for e, err := range store.Readable(o.db.Select(o.added[:min(len(o.added), maxAdded)]), nil) {
		if err != nil {
			return nil, err
		}
		known := false
		for op := range has {
			if isOf(&e.Request, op) {
				known, has[op] = true, true
			}
		}
		if !known {
			added = append(added, outliner.Outline(e))
		}
	}
	named := rules.Operations(added, nil)
	var out []exchange.Operation
	for _, op := range named {
		if !slices.Contains(out, op) {
			out = append(out, op)
		}
	}
	slices.SortFunc(out, func(a, b exchange.Operation) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.Method, b.Method))
	})
	return out, nil
}

// isOf reports whether the method and path of a request are those of an operation.
func isOf(r *exchange.Request, op exchange.Operation) bool {
	if r.Method != op.Method {
		return false
	}
	path, _ := exchange.SplitTarget(r.Target)
	have, want := strings.Split(path, "/"), strings.Split(op.Template, "/")
	return slices.EqualFunc(have, want, func(segment, template string) bool {
		return segment == template || strings.Contains(template, "{") && segment != ""
	})
}
