package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

// sampleDiff has at least one change of every kind.
func sampleDiff() Diff {
	old, is := sampleInput().Map, oddMap()
	for _, op := range is.Operations {
		for _, f := range op.Fields {
			switch f.Place {
			case "/body/createdAt":
				f.Judgement, f.Category = mapfile.Stable, ""
			case "/body/lines":
				f.Category, f.Holds.Order, f.Holds.MaxLength = mapfile.State, "", nil
			case "/body/steady1":
				f.Judgement, f.Category, f.Changed = mapfile.Jitter, mapfile.Rand, 3
			case "/body/steady2":
				f.Bound = 0.5
			case "/body/steady3":
				f.Bound = 0.001
			}
		}
	}
	old.Operations = append(old.Operations, &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/gone|`@all"}, Status: 200, Exchanges: 1})
	orders := old.Operations[2]
	orders.Fields = orders.Fields[:len(orders.Fields)-1] // a place that came
	return Diff{Old: old, New: is, Changes: mapfile.Diff(old, is)}
}

func TestDiffForms(t *testing.T) {
	for name, write := range map[string]func(Diff, io.Writer) error{"diff.txt": Diff.Text, "diff.json": Diff.JSON, "diff.md": Diff.Markdown} {
		t.Run(name, func(t *testing.T) {
			var b, again bytes.Buffer
			if err := errors.Join(write(sampleDiff(), &b), write(sampleDiff(), &again)); err != nil {
				t.Fatal(err)
			}
			if b.String() != again.String() {
				t.Error("the same maps gave other bytes")
			}
			isGolden(t, filepath.Join("testdata", name), b.String())
			if err := write(sampleDiff(), fullDisk{}); !errors.Is(err, errFull) {
				t.Errorf("a full disk is not told: %v", err)
			}
		})
	}
}

// TestDiffCounts: the JSON's summary is that of its changes.
func TestDiffCounts(t *testing.T) {
	var b bytes.Buffer
	if err := sampleDiff().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Summary map[string]int
		Changes []struct{ Kinds []string }
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{"same": doc.Summary["same"]}
	for _, c := range doc.Changes {
		for _, k := range c.Kinds {
			counted[k]++
		}
	}
	if diff := cmp.Diff(counted, doc.Summary); diff != "" {
		t.Errorf("-counted +summary\n%s", diff)
	}
	for _, kind := range []string{"began", "unseen", "stopped", "judged", "holds", "surer", "unsurer", "came", "went"} {
		if counted[kind] == 0 {
			t.Errorf("the sample has no change %q", kind)
		}
	}
}

// TestDiffTablesHoldTogether: every row of a table has four cells.
func TestDiffTablesHoldTogether(t *testing.T) {
	var b bytes.Buffer
	if err := sampleDiff().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(b.String(), "\n") {
		if n := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(l, -1)); strings.HasPrefix(l, "|") && n != 5 {
			t.Errorf("%d bars: %s", n, l)
		}
	}
}

// TestDiffIsBounded: however much changed, what is written of it ends.
func TestDiffIsBounded(t *testing.T) {
	many := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/"}, Status: 200, Exchanges: 1}
	for i := range maxChanges + 7 {
		many.Fields = append(many.Fields, &mapfile.Field{Place: exchange.Place(fmt.Sprintf("/body/%05d", i)), Judgement: mapfile.Jitter, Category: mapfile.Rand})
	}
	d := Diff{Old: &mapfile.Map{}, New: &mapfile.Map{Operations: []*mapfile.Operation{many}}}
	d.Changes = mapfile.Diff(d.Old, d.New)
	var b bytes.Buffer
	if err := d.Text(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "  and 7 more\n") || strings.Count(b.String(), "/body/") != maxChanges {
		t.Errorf("%d lines", strings.Count(b.String(), "\n"))
	}
}
