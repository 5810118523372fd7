package volatility

import (
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// measures judges the size of the answers and the time that they took, over those that have the recorded status.
func (w *stepAnalysis) measures() {
	size := w.rec.answer.Size()
	w.judgeWhole(mapfile.PlaceSize, token(mapfile.SizeClass(size)), w.same, func(s *answerView) (string, bool) {
		n := s.answer.Size()
		if !mapfile.AnotherSize(size, n) {
			return "", false
		}
		return token(mapfile.SizeClass(n)), true
	})
	if !w.rec.at.Known() {
		return
	}
	took := w.rec.at.To.Sub(w.rec.at.From)
	w.judgeWhole(mapfile.PlaceTiming, token(mapfile.TimingClass(took)), w.same, func(s *answerView) (string, bool) {
		d := s.at.To.Sub(s.at.From)
		if !s.at.Known() || !mapfile.AnotherTiming(took, d) {
			return "", false
		}
		return token(mapfile.TimingClass(d)), true
	})
}

// token returns the name of a class as a raw JSON token; there is nothing in it to be escaped.
func token(class string) string { return `"` + class + `"` }
