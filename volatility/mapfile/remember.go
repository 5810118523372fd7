package mapfile

// Remember takes over what an earlier map or lock knows to move, for places that were not seen to move since: they
// move, as the earlier one says, unless 299 observations show that they do no longer. It returns how many these are,
// and how many it let go.
func (m *Map) Remember(earlier *Map) (kept, let int) {
	partner := pairOperations(earlier, m)
	for _, op := range m.Operations {
		was := partner[op]
		if was == nil {
			continue
		}
		for _, f := range op.Fields {
			g := was.At(f.Place)
			switch {
			case g == nil || !g.Volatile() || f.Volatile() || f.Rule != nil || g.Apart():
			case shows(f.Of, rare):
				let++
			default:
				kept++
				f.Judgement, f.Category, f.Holds = g.Judgement, g.Category, g.Holds
				f.Fingerprints, f.Evidence, f.Explanations = nil, g.Evidence, g.Explanations
			}
		}
	}
	m.Recount()
	return kept, let
}
