// Package syrupy has the arguments by which tests in Python have syrupy compare with a snapshot: its name, the members
// that it leaves out, and the types that it compares instead of values. It reads them, writes them, and tells what a
// file imports for them.
package syrupy

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// Options are the arguments that a snapshot is called with.
type Options struct {
	fixture string
	Name    string            // "" for one that is numbered
	Props   []string          // members of any object that are left out
	Paths   []string          // members that are left out
	Types   map[string]string // the source of the types that are compared instead of values, by paths
}

// Read reads the arguments of a snapshot; false where they are of another kind.
func (o *Options) Read(tokens []syntax.Token) bool {
	o.fixture, o.Types = tokens[0].Text, map[string]string{}
	x, err := syntax.ParseExpr(tokens)
	call, called := x.(syntax.Call)
	if err != nil || called && len(call.Args) > 0 {
		return false
	}
	for _, k := range call.Kw {
		of, _ := k.X.(syntax.Call)
		by, _ := of.Fn.(syntax.Name)
		switch {
		case k.Name == "name":
			name, ok := k.X.(syntax.StrLit)
			if o.Name = name.S; !ok || o.Name == "" {
				return false
			}
		case k.Name == "exclude" && by.Id == "props" && len(of.Kw) == 0:
			o.Props = texts(of.Args)
		case k.Name == "exclude" && by.Id == "paths" && len(of.Kw) == 0:
			o.Paths = texts(of.Args)
		case k.Name == "matcher" && by.Id == "path_type" && len(of.Kw) == 0 && len(of.Args) == 1:
			if !o.typed(of.Args[0]) {
				return false
			}
		default:
			return false
		}
		if k.Name == "exclude" && len(o.Props)+len(o.Paths) == 0 {
			return false
		}
	}
	return true
}

// texts are the values of literals; nil where one is another expression.
func texts(xs []syntax.Node) []string {
	var out []string
	for _, x := range xs {
		text, ok := x.(syntax.StrLit)
		if !ok {
			return nil
		}
		out = append(out, text.S)
	}
	return out
}

// typed reads {"path": (type,)}.
func (o *Options) typed(x syntax.Node) bool {
	dict, ok := x.(syntax.Dict)
	for i, k := range dict.Keys {
		path, isText := k.(syntax.StrLit)
		types, isTuple := dict.Values[i].(syntax.Seq)
		var names []string
		for _, t := range types.Elems {
			name, isName := t.(syntax.Name)
			ok = ok && isName
			names = append(names, name.Id)
		}
		if !ok || !isText || !isTuple || len(names) == 0 {
			return false
		}
		o.Types[path.S] = "(" + strings.Join(names, ", ")
		if len(names) == 1 {
			o.Types[path.S] += ","
		}
		o.Types[path.S] += ")"
	}
	return ok
}

// Source writes a snapshot with its options.
func (o Options) Source() string {
	var args []string
	if o.Name != "" {
		args = append(args, "name="+literal.Python(o.Name))
	}
	filter := func(name string, of []string) {
		if len(of) == 0 {
			return
		}
		quoted := make([]string, len(of))
		for i, text := range of {
			quoted[i] = literal.Python(text)
		}
		args = append(args, "exclude="+name+"("+strings.Join(quoted, ", ")+")")
	}
	filter("props", o.Props)
	filter("paths", o.Paths)
	if len(o.Types) > 0 {
		var types []string
		for _, path := range slices.Sorted(maps.Keys(o.Types)) {
			types = append(types, literal.Python(path)+": "+o.Types[path])
		}
		args = append(args, "matcher=path_type({"+strings.Join(types, ", ")+"})")
	}
	if len(args) == 0 {
		return o.fixture
	}
	return o.fixture + "(" + strings.Join(args, ", ") + ")"
}

// Imports are the functions of syrupy that options call, as module and name.
func (o Options) Imports() []string {
	var out []string
	for name, used := range map[string]bool{"syrupy.filters props": len(o.Props) > 0, "syrupy.filters paths": len(o.Paths) > 0,
		"syrupy.matchers path_type": len(o.Types) > 0} {
		if used {
			out = append(out, name)
		}
	}
	return out
}

// Writer is how people have syrupy write snapshots, for what is told of those that are not as they should be.
func Writer() snapshot.Writer {
	return snapshot.Writer{Name: "syrupy", Adds: "pytest --snapshot-update", Names: `snapshot(name="…")`}
}
