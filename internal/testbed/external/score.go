package external

import "net/http"

// Score says what of the labels a list of outcomes shows.
type Score struct {
	Behaviors Reached
	Bugs      Reached
	// Unlabelled has the indexes of outcomes that look like failures of the API (an answer 500, or none) and are no
	// bug that has a label: mistakes that nobody planted, or those of who observed.
	Unlabelled []int
}

// Reached says which labels were seen, by their IDs, in the order of the labels.
type Reached struct {
	Found, Missed []string
}

// Share returns the part of the labels that was seen, from 0 to 1; 1 where there are none.
func (r Reached) Share() float64 {
	if len(r.Found)+len(r.Missed) == 0 {
		return 1
	}
	return float64(len(r.Found)) / float64(len(r.Found)+len(r.Missed))
}

// Score holds outcomes against the labels. One outcome may show several.
func (l *Labels) Score(outcomes []Outcome) Score {
	s := Score{Behaviors: reached(l.Behaviors, outcomes), Bugs: reached(l.Bugs, outcomes)}
	for i := range outcomes {
		if o := &outcomes[i]; failed(o) && len(matching(l.Bugs, o)) == 0 {
			s.Unlabelled = append(s.Unlabelled, i)
		}
	}
	return s
}

// failed reports whether an outcome looks like a failure of the API.
func failed(o *Outcome) bool {
	return o.Hang || o.Status == 0 || o.Status == http.StatusInternalServerError
}

func reached(labels []Label, outcomes []Outcome) Reached {
	seen := map[string]bool{}
	for i := range outcomes {
		for _, id := range matching(labels, &outcomes[i]) {
			seen[id] = true
		}
	}
	var r Reached
	for _, label := range labels {
		if seen[label.ID] {
			r.Found = append(r.Found, label.ID)
		} else {
			r.Missed = append(r.Missed, label.ID)
		}
	}
	return r
}

// matching returns the IDs of the labels that an outcome shows.
func matching(labels []Label, o *Outcome) (ids []string) {
	for i := range labels {
		if labels[i].Matches(o) {
			ids = append(ids, labels[i].ID)
		}
	}
	return ids
}
