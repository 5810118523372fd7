package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// labelled is a field of a service's answer that an API reads, as its author says.
type labelled struct {
	Service, Path string // http://host:port, /items/{id}
	Field         string // stock/warehouses/*/count; "" for the whole
	Type          string
}

// TestEvalMockSearchHooksJVM says how many of the fields that an API in Java reads of three services a search with hooks
// finds, and of how many the type. The API and its labels are by somebody who had not seen the hooks. Two of the labels
// are of a whole answer, which no index lists. The patience is for a busy machine, where each first request takes long.
func TestEvalMockSearchHooksJVM(t *testing.T) {
	path, _ := javaTools(t)
	dir, err := filepath.Abs("testdata/external/warehouse")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.must(quickJavac + " -nowarn -d . -cp '" + path + "' " + dir + "/Main.java " + dir + "/Services.java")
	var requests string
	for line := range strings.Lines(string(read(t, dir+"/requests.txt"))) {
		requests += " --request '" + strings.TrimSpace(line) + "'"
	}
	b.must(fmt.Sprintf("flaketap mock search --hooks --seed 1 --patience 60s --trials %d --out out%s --ready http://127.0.0.1:{port}/health "+
		"--start 'exec %s -cp %s:. Main {port}'", evalTrials(t), requests, quickJava, path))
	var labels []labelled
	if err := json.Unmarshal(read(t, dir+"/labels.json"), &labels); err != nil {
		t.Fatal(err)
	}
	fields, told, typed := b.fields("out"), 0, 0
	for _, l := range labels {
		there, right := false, false
		for _, f := range fields {
			if "http://"+f.Endpoint.Service == l.Service && samePlaces(f.Endpoint.Path, l.Path) &&
				samePlaces(f.Field, strings.TrimSuffix("/body/"+l.Field, "/")) {
				there = true
				right = right || slices.ContainsFunc(f.Types, func(kind string) bool { return isKind(kind, l.Type) })
			}
		}
		if there {
			told++
		}
		if right {
			typed++
		} else {
			t.Logf("%s%s %s, %s: found %v, with its type %v", l.Service, l.Path, l.Field, l.Type, there, right)
		}
	}
	t.Logf("%d of %d fields are found, %d of them with the right type", told, len(labels), typed)
}

// samePlaces reports whether two paths are of one shape: a segment that one of them leaves open is any.
func samePlaces(a, b string) bool {
	open := func(s string) bool { return s == "*" || strings.HasPrefix(s, "{") }
	return slices.EqualFunc(strings.Split(a, "/"), strings.Split(b, "/"),
		func(x, y string) bool { return x == y || open(x) || open(y) })
}

// isKind reports whether a type of the index is one of the labels': whole numbers are numbers.
func isKind(kind, label string) bool {
	return kind == label || kind == "any" || kind == "list" && label == "array" || kind == "number" && label == "integer"
}
