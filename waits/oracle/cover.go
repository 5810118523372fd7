package oracle

// sameMoment is how far apart what belongs together may be told: a page tells of its changes by its own clock, and a
// busy browser of its requests when it comes to it. In milliseconds.
const sameMoment = 200

// cover marks the reads whose waits make a sleep before them needless: in each run that passed, all that was read
// between the two actions around it has a wait, and once they are ready nothing more changed by itself, and no request
// ended, before the suite went on. So a sleep that waits for more than these stays, and so does one before a look at
// what is not to change.
func (m *Model) cover(s *Session, runs [][]window) {
	covers := map[*Wait]bool{}
	for i := range runs {
		groups := map[*Command][]window{}
		for _, w := range runs[i] {
			if w.passed && w.Kind == Reads && w.act != nil {
				groups[w.act] = append(groups[w.act], w)
			}
		}
		for _, reads := range groups {
			fine := m.covered(&s.Runs[i], reads)
			for _, w := range reads {
				wait := m.waits[w.Key]
				before, seen := covers[wait]
				covers[wait] = fine && (before || !seen)
			}
		}
	}
	for wait, fine := range covers {
		wait.Covers = fine
	}
}

// covered reports whether the waits of the reads behind an action wait for all that went on before the last of them
// came.
func (m *Model) covered(r *Run, reads []window) bool {
	ready, came := 0.0, 0.0
	waited := map[string]bool{} // elements that are waited for, by how they are found: what comes with one is not besides
	for _, w := range reads {
		came = max(came, w.Start)
		switch at, _ := w.settled(m.aside); {
		case w.hidden():
			return false
		case m.waits[w.Key].Prone():
			ready = max(ready, at)
			if w.By.Using != "" {
				waited[way(w.Finds())] = true
			}
		case w.Reads != "" && !(len(w.Found) > 0 && waited[way(w.Found)]):
			return false
		}
	}
	browser, acted := reads[0].Command.Browser, reads[0].act.Start
	for _, q := range r.Requests {
		if q.Browser == browser && q.Start >= acted && q.End > ready+sameMoment && q.End < came {
			return false
		}
	}
	changes := reads[0].changes
	for len(changes) > 0 && changes[len(changes)-1].At >= came {
		changes = changes[:len(changes)-1]
	}
	state := settled(changes, m.aside)
	return len(state) == 0 || state[len(state)-1].At <= ready+sameMoment
}
