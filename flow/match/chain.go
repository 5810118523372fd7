package match

// Candidate is a recorded request, by its position, that another may be. Worth says how much speaks for it.
type Candidate struct{ Position, Worth int }

// link is the best chain that ends with a candidate.
type link struct {
	worth    int
	previous int // the candidate of the call before, by its index; -1 where the chain begins
}

// Chain picks one of the candidates of each call of a test, each after that of the call before and at most gap
// positions from it, so that most speaks for them all and the last is as late as can be: who generates tests writes
// them after trying them out. Candidates are sorted by position. Calls without any are passed over; -1 stands for them,
// and for all where there is no chain.
func Chain(calls [][]Candidate, gap int) []int {
	out := make([]int, len(calls))
	var asked []int // the calls that have candidates
	for i := range calls {
		out[i] = -1
		if len(calls[i]) > 0 {
			asked = append(asked, i)
		}
	}
	links := make([][]link, len(asked))
	for n, i := range asked {
		links[n] = make([]link, len(calls[i]))
		for k, c := range calls[i] {
			if n == 0 {
				links[n][k] = link{c.Worth, -1}
				continue
			}
			links[n][k] = follow(calls[asked[n-1]], links[n-1], c, gap*(i-asked[n-1]))
		}
	}
	if len(asked) == 0 {
		return out
	}
	last, best := -1, -1
	for k, l := range links[len(asked)-1] {
		if l.worth >= best && l.worth >= 0 {
			last, best = k, l.worth
		}
	}
	for n := len(asked) - 1; n >= 0 && last >= 0; n-- {
		out[asked[n]] = calls[asked[n]][last].Position
		last = links[n][last].previous
	}
	return out
}

// follow returns the best chain that goes on with c from one of the candidates of the call before, whose own best
// chains are links; its worth is -1 where none leads there.
func follow(before []Candidate, links []link, c Candidate, gap int) link {
	best := link{-1, -1}
	for j := len(before) - 1; j >= 0; j-- {
		if before[j].Position >= c.Position {
			continue
		}
		if c.Position-before[j].Position > gap {
			break
		}
		if from := links[j].worth; from >= 0 && from+c.Worth > best.worth {
			best = link{from + c.Worth, j}
		}
	}
	return best
}
