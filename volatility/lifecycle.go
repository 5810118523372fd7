package volatility

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// explainByLifecycle finds what came and went along with a stage of life that the clock decides on, as the time of its
// begin does: that is of the clock too, and so volatile in the whole operation.
func explainByLifecycle(_ *judge, o *operationDraft) {
	for _, x := range o.drafts {
		stage := x.field
		if stage.Category != mapfile.Time || !x.has(mapfile.SignName.Of(nameLifecycle)) {
			continue
		}
		for _, y := range o.drafts {
			f := y.field
			together := func(fp string) bool { return slices.Contains(stage.Fingerprints, fp) }
			if f.Category == mapfile.State && f.Judgement == mapfile.Drift && f.Place.Parent() == stage.Place.Parent() &&
				f.Changed <= stage.Changed &&
				slices.ContainsFunc(f.Fingerprints, together) {
				f.Judgement, f.Category = mapfile.Jitter, mapfile.Time
				with := mapfile.SignMovesWith.Of(string(stage.Place))
				y.evidence = append(y.evidence, with)
				y.explanations = withFirst(y.explanations, explanation{mapfile.Time, strong, []mapfile.Evidence{with}})
			}
		}
	}
}

// withdrawOrders takes back that an array is the recorded multiset where something within it moves as well.
func withdrawOrders(_ *judge, o *operationDraft) {
	for i, x := range o.drafts {
		if x.field.Holds.Order == "" {
			continue
		}
		for _, y := range o.drafts[i+1:] {
			if strings.HasPrefix(string(y.field.Place), string(x.field.Place)+"/") && y.field.Volatile() {
				x.field.Holds.Order = ""
				break
			}
		}
	}
}
