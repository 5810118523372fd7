package learned

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/await"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/waits/read"
	"github.com/flaketap/flaketap/waits/settle"
)

// Sleep is what is known of one.
type Sleep struct {
	Operation exchange.Operation // of the read behind it
	Line      int                // of that read, in the file; 0 where the text of the suite does not tell
	Times     settle.Times       // of that read, from the write before it until it was ready
	// Polling is the file in which the test asks again in the place of the sleep; nil where that cannot be written.
	Polling  []byte
	Unpolled string // why it cannot
	Untold   string // why nothing is known of the times, with what to do; then nothing else is set
}

// Of says what a recording knows of a sleep that was read from a file at a path. beside reads the files beside that.
func Of(path string, data []byte, w read.Wait, src suite.Source, beside script.Beside) Sleep {
	l := settle.New(src.Operations)
	for _, s := range src.Steps {
		l.Add(s)
	}
	oracles := l.Awaited()
	if len(oracles) == 0 {
		return Sleep{Untold: "no read of the recording was seen before the API was ready: flaketap replay --runs 100 --settle 5s " +
			"asks each one until it is"}
	}
	s, err := suite.ReadAmong(filepath.ToSlash(path), data, beside)
	if err != nil {
		return only(oracles, src, "the file is in no form whose requests are read")
	}
	b := behind{script: s, at: w.At.Start - len(s.BOM), end: w.At.End - len(s.BOM)}
	if !b.find(suite.Bind(s, src, nil).Ran()) {
		return only(oracles, src, "no request that was recorded stands between the wait and the end of its test")
	}
	o := oracles[b.exchange.Seq]
	if o == nil {
		return Sleep{Untold: fmt.Sprintf("%s in line %d was seen to be ready at once, or never", src.Operations[b.exchange.Seq],
			b.call.At.FirstLine)}
	}
	out := Sleep{Operation: src.Operations[b.exchange.Seq], Line: b.call.At.FirstLine, Times: o.Times}
	out.Polling, out.Unpolled = b.polling(o, src.Redactor)
	return out
}

// only is what is known where it is not known which read a sleep is for: of the only ones that were ready later.
func only(oracles map[uint64]*settle.Oracle, src suite.Source, why string) Sleep {
	by := map[string]uint64{}
	for seq := range oracles {
		name := src.Operations[seq].String()
		if by[name] == 0 || seq < by[name] {
			by[name] = seq
		}
	}
	names := slices.Sorted(maps.Keys(by))
	if len(names) > 1 {
		return Sleep{Untold: fmt.Sprintf("%s, and the recording has several reads that are ready later: %s", why, strings.Join(names, ", "))}
	}
	seq := by[names[0]]
	return Sleep{Operation: src.Operations[seq], Times: oracles[seq].Times, Unpolled: why}
}

// behind is the read that stands behind a sleep.
type behind struct {
	script   *script.Script
	at, end  int // of the time of the sleep, in the text
	test     *script.Test
	call     *script.Call
	exchange *exchange.Exchange
}

// find finds it among what the tests of the suite sent.
func (b *behind) find(sent []setup.Ran) bool {
	for _, t := range b.script.Tests {
		for i, c := range t.Calls {
			if !t.SleepsBetween(b.at, c) || c.At.Start < b.end {
				continue
			}
			for _, r := range sent {
				read := r.Exchange.Request.Method == "GET" || r.Exchange.Request.Method == "HEAD"
				if r.Test == t.Name && r.Call == i && read {
					b.test, b.call, b.exchange = t, c, r.Exchange
					return true
				}
			}
		}
	}
	return false
}

// polling writes the test so that it asks again in the place of the sleep, or says why that cannot be.
func (b *behind) polling(o *settle.Oracle, r exchange.Redactor) (out []byte, why string) {
	poll, secret := b.script.Writer.Poll, await.SecretInURL(&b.exchange.Request)
	unwritable := await.Unwritable(b.call, await.Place{Dialect: poll != nil, Secret: secret})
	if poll == nil || secret {
		return nil, unwritable
	}
	show := func(p exchange.Place, raw string) bool { return !r.Secret(p) }
	wait, ok := await.For(b.call, o, show)
	if !ok {
		return nil, "what tells that the API is ready cannot be said in a test"
	}
	edits := poll(b.script, b.test, wait)
	instead := slices.ContainsFunc(edits, func(e script.Edit) bool { return e.Start <= b.at && b.end <= e.End })
	switch {
	case len(edits) == 0:
		return nil, unwritable
	case !instead:
		return nil, "the wait does not stand in a line of its own, in the same block as the read behind it"
	}
	if imports := b.script.Writer.Imports; imports != nil {
		edits = append(imports(b.script, edits), edits...)
	}
	return []byte(b.script.BOM + script.Apply(b.script.Text, edits)), ""
}
