// Package demo shows the whole job of flaketap on the demo's API, every field of which is labelled: a fuzzer records
// it, what it answers is replayed and judged, the map is held against the labels, and the suite that is written runs
// against the API, and against the API with regressions.
package demo
