package hub

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
)

// Write writes a status, as text or as json.
func (s *Status) Write(w io.Writer, form string) error {
	if form == "json" {
		return outfile.JSON(w, s)
	}
	if err := s.table(w); err != nil {
		return err
	}
	for _, work := range s.Work {
		if err := work.table(w); err != nil {
			return err
		}
	}
	if len(s.Findings) == 0 {
		_, err := fmt.Fprintln(w, "\nNothing is stuck.")
		return err
	}
	_, err := fmt.Fprintf(w, "\nStuck:\n  %s\n", strings.Join(s.Findings, "\n  "))
	return err
}

func (s *Status) table(w io.Writer) error {
	room := "no bound"
	if s.Most > 0 {
		room = fmt.Sprintf("%d MB at most", s.Most/1_000_000)
	}
	if _, err := fmt.Fprintf(w, "%s: %.1f MB taken, %s\n", s.Server, float64(s.Bytes)/1e6, room); err != nil {
		return err
	}
	for _, n := range s.Names {
		if _, err := fmt.Fprintf(w, "\n%s: %.1f MB, %s, secrets: %s\n", n.Name, float64(n.Bytes)/1e6,
			console.Count(n.Replicas, "replica"), printable(n.Secrets)); err != nil {
			return err
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  RECORDER\tMACHINE\tLABEL\tFILE\tVERSION\tSENT\tBEHIND\tHEARD\tSTATE")
		for _, r := range n.Recorders {
			state, heard := "recording", "never"
			if r.Done {
				state = "done"
			}
			if !r.Heard.IsZero() {
				heard = r.Heard.Format(time.DateTime)
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", printable(r.ID), printable(r.Machine), printable(r.Label),
				printable(r.File), printable(r.Version), r.Shipped, r.Lag, heard, state)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printable is a text of a recorder's as it may stand in a table.
func printable(text string) string { return cmp.Or(console.OneLine(text), "-") }
