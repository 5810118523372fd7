package past

import "strings"

// Step is a change of a line that is followed back.
type Step struct {
	Commit *Commit
	Change Change
}

// Lifeline follows a line of a file back through a history, the newest commit first, as far as it can be: the changes
// by which it came to say what it says. A change counts only if the line reads as it did; where branches were merged it
// may stand elsewhere, if it is the only one that reads so.
func Lifeline(commits []Commit, file string, line int, text string) []Step {
	var out []Step
	for i := range commits {
		c := &commits[i]
		shift, was, touched := 0, "", false
		for j := range c.Edits {
			e := &c.Edits[j]
			if e.File != file {
				continue
			}
			was = e.Was
			touched = touched || e.New <= line && line < e.New+e.NewN
			if e.New+e.NewN <= line {
				shift += e.OldN - e.NewN
			}
		}
		line += shift
		if touched {
			found := c.change(file, line-shift, text)
			if found == nil || found.Was == 0 {
				return out // it came to be there
			}
			out = append(out, Step{c, *found})
			line, text = found.Was, found.Old
		}
		if was != "" {
			file = was
		}
	}
	return out
}

// change is that by which a line of a file came to read so: the one that stands there, or the only one; nil where there
// is none.
func (c *Commit) change(file string, line int, text string) *Change {
	var elsewhere []*Change
	for i := range c.Edits {
		e := &c.Edits[i]
		for j := range e.Changes {
			switch change := &e.Changes[j]; {
			case e.File != file || strings.TrimSpace(change.New) != strings.TrimSpace(text):
			case change.Now == line:
				return change
			default:
				elsewhere = append(elsewhere, change)
			}
		}
	}
	if len(elsewhere) == 1 {
		return elsewhere[0]
	}
	return nil
}
