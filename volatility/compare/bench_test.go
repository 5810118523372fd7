package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// document makes a body of about 10 kB: objects in an order of their own, some of their leaves of the seed's making.
func document(order, seed uint64) string {
	elements := make([]string, 60)
	leaves := rand.New(rand.NewPCG(seed, 1))
	for i := range elements {
		elements[i] = fmt.Sprintf(`{"id":%d,"name":"article number %d","price":%d.99,"tags":["a","b","c"],"stock":{"berlin":%d,"paris":17},"at":"2026-01-29T12:15:%02dZ","ok":true}`,
			i, i, i*3, i%7, leaves.IntN(3))
	}
	rand.New(rand.NewPCG(order, 2)).Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
	return `{"total":60,"items":[` + strings.Join(elements, ",") + `],"next":null}`
}

// BenchmarkResponses reads two answers and compares them, in the memory of those before. It reports the bytes of both
// bodies as the throughput.
func BenchmarkResponses(b *testing.B) {
	for _, c := range []struct {
		name string
		x, y string
	}{
		{"equal", document(1, 1), document(1, 1)},
		{"shuffled", document(1, 1), document(2, 1)},
		{"leaves", document(1, 1), document(1, 2)},
		{"shuffled+leaves", document(1, 1), document(2, 2)},
	} {
		x, y := jsonAnswer(c.x), jsonAnswer(c.y)
		b.Run(c.name, func(b *testing.B) {
			var rd Reader
			b.SetBytes(int64(len(c.x) + len(c.y)))
			b.ReportAllocs()
			for b.Loop() {
				a, other := rd.Read(x, nil), rd.Read(y, nil)
				a.Differences(other)
				rd.Release(a)
				rd.Release(other)
			}
		})
	}
}

// BenchmarkRuns compares one recorded answer with those of ten runs, as a judgement does: each is read once.
func BenchmarkRuns(b *testing.B) {
	for _, c := range []struct {
		name   string
		leaves uint64
	}{{"shuffled", 0}, {"shuffled+leaves", 1}} {
		recorded := jsonAnswer(document(1, 1))
		size := len(recorded.Body)
		var runs []*exchange.Response
		for n := range uint64(10) {
			runs = append(runs, jsonAnswer(document(2+n, 1+c.leaves*n)))
			size += len(runs[n].Body)
		}
		b.Run(c.name, func(b *testing.B) {
			var rd Reader
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				rec := rd.Read(recorded, nil)
				for _, r := range runs {
					run := rd.Read(r, nil)
					rec.Differences(run)
					rd.Release(run)
				}
				rd.Release(rec)
			}
		})
	}
}
