package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
)

// WorkStatus is what stands under a name of workers, and what they are to play.
type WorkStatus struct {
	Name    string   `json:"name"`
	Workers []Worker `json:"workers"`
	Plans   []Plan   `json:"plans"`
}

// Plan is what one replay, one map, or one command that has trials, put there.
type Plan struct {
	Plan    string    `json:"plan"`
	Trials  bool      `json:"trials"` // workers lend their APIs for it, and play nothing
	Map     bool      `json:"map"`    // workers judge it
	Search  bool      `json:"search"` // workers run the trials of a mock search
	Since   time.Time `json:"since"`
	Goes    time.Time `json:"goes"`    // when what is left of it goes by itself
	Open    int       `json:"open"`    // tickets that wait or are played
	Played  int       `json:"played"`  // items with a result
	Awaited bool      `json:"awaited"` // whoever put it there waits for results, or did minutes ago
}

// addWork adds what stands on a board to that of the other board of its name.
func (s *Status) addWork(ctx context.Context, w *Work, now time.Time) error {
	work, err := w.status(ctx, now)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.Work, func(other WorkStatus) bool { return other.Name == work.Name })
	if i < 0 {
		s.Work = append(s.Work, work)
	} else {
		s.Work[i].Plans = append(s.Work[i].Plans, work.Plans...)
	}
	return nil
}

// status reads it. now is the time by which silence is measured.
func (w *Work) status(ctx context.Context, now time.Time) (s WorkStatus, err error) {
	s = WorkStatus{Name: w.link.address.Name, Plans: []Plan{}}
	if s.Workers, err = w.link.workers(ctx, now); err != nil {
		return s, w.away(err)
	}
	if err := w.open(ctx); err != nil {
		return s, w.away(err)
	}
	open, err := countBy(ctx, w.tickets, w.subject("tickets", ""), "")
	if err != nil {
		return s, w.away(err)
	}
	played, err := countBy(ctx, w.kept, w.subject("kept", ""), "result")
	if err != nil {
		return s, w.away(err)
	}
	plans, err := w.Plans(ctx)
	if err != nil {
		return s, err
	}
	awaited, err := w.awaited(ctx)
	if err != nil {
		return s, w.away(err)
	}
	for _, plan := range slices.Sorted(slices.Values(plans)) {
		job, err := w.last(ctx, w.subject("kept", plan, "job"))
		if errors.Is(err, queue.ErrMissing) { // it has ended
			continue
		}
		if err != nil {
			return s, err
		}
		one := Plan{Plan: plan, Trials: queue.Lends(plan), Map: w.kind == mapsKind,
			Search: w.kind == mocksKind, Since: job.Time.UTC(),
			Goes: job.Time.Add(keptTime).UTC(), Open: open[plan], Played: played[plan]}
		if one.Awaited = awaited[plan]; one.Trials && !one.Awaited {
			if one.Awaited, err = w.lenderIsThere(ctx, plan); err != nil {
				return s, err
			}
		}
		s.Plans = append(s.Plans, one)
	}
	return s, nil
}

// countBy counts the subjects of a stream by the plan behind a prefix; of each only those that go on with a word, where
// that is not "".
func countBy(ctx context.Context, s jetstream.Stream, prefix, word string) (map[string]int, error) {
	filter := prefix + "*.>"
	if word != "" {
		filter = prefix + "*." + word + ".*.*"
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for subject := range info.State.Subjects {
		plan, _, _ := strings.Cut(strings.TrimPrefix(subject, prefix), ".")
		out[plan]++
	}
	return out, nil
}

// awaited returns the plans for whose results somebody waits. The server forgets minutes later who does not any more.
func (w *Work) awaited(ctx context.Context) (map[string]bool, error) {
	consumers, err := listed(ctx, w.link.js, func(ctx context.Context) lister[*jetstream.ConsumerInfo] {
		return w.kept.ListConsumers(ctx)
	})
	out := map[string]bool{}
	for _, info := range consumers {
		for _, subject := range append(info.Config.FilterSubjects, info.Config.FilterSubject) {
			plan, _, _ := strings.Cut(strings.TrimPrefix(subject, w.subject("kept", "")), ".")
			out[plan] = true
		}
	}
	return out, err
}

// lenderIsThere reports whether whoever has the trials of a plan is there. Who is there does not answer; that nobody is
// the server says at once, before it answers what it is asked next.
func (w *Work) lenderIsThere(ctx context.Context, plan string) (bool, error) {
	conn := w.link.conn
	said, err := conn.SubscribeSync(conn.NewInbox())
	if err != nil {
		return false, w.away(err)
	}
	defer func() { _ = said.Unsubscribe() }() // which fails where the connection is gone
	err = conn.PublishRequest(w.link.Wire().subject(queue.HereName(plan)), said.Subject, nil)
	if err == nil {
		err = conn.FlushWithContext(ctx)
	}
	if err != nil {
		return false, w.away(err)
	}
	_, err = said.NextMsg(0) // which has come, or does not
	return !errors.Is(err, nats.ErrNoResponders), nil
}

// oftenAttempted is how often a ticket may be leased before something is wrong with it.
const oftenAttempted = 3

// find says what is stuck, and what to do.
func (s *WorkStatus) find(now time.Time) (out []string) {
	for _, w := range s.Workers {
		if !w.Silent && w.Attempt >= oftenAttempted && !queue.Lends(w.Plan) {
			out = append(out, fmt.Sprintf("%s: item %d of run %d of %s is played in attempt %d of %d, now on %s: it ends APIs "+
				"or workers, and is given up after the last attempt; what workers say there tells why",
				s.Name, w.Item, w.Run, printable(w.Plan), w.Attempt, queue.MostAttempts, printable(w.Host)))
		}
	}
	there := presence(s.Workers)
	for _, p := range s.Plans {
		who, again, role := "the replay", "replay --resume goes on with it, ", queue.Plays
		switch {
		case p.Trials:
			who, again = "the command that has the trials", "workers that lend their APIs for it find nobody; "
		case p.Map:
			who, again, role = "the map", "workers judge it for nobody; ", queue.Judges
		case p.Search:
			who, again, role = "the mock search", "workers run its trials for nobody; ", queue.Tries
		}
		switch {
		case !p.Awaited && now.Sub(p.Since) > silent:
			out = append(out, fmt.Sprintf("%s: %s of %s, which began %s ago, is gone: %sflaketap hub remove nats://HOST:PORT/%s "+
				"--plan %s takes away what it left, and it goes by itself on %s", s.Name, who, printable(p.Plan),
				now.Sub(p.Since).Round(time.Second), again, s.Name, printable(p.Plan), p.Goes.Format(time.DateTime)))
		case p.Open > 0 && there[role] == 0:
			out = append(out, fmt.Sprintf("%s: %s of %s wait, and no %s is there: start flaketap worker nats://HOST:PORT/%s %s",
				s.Name, console.Count(p.Open, "item"), printable(p.Plan), role.Worker(), s.Name, role.Start()))
		}
	}
	return out
}

// table writes a status of work as text.
func (s *WorkStatus) table(out io.Writer) error {
	fmt.Fprintf(out, "\n%s: %s\n", s.Name, console.Count(len(s.Workers), "worker"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(s.Workers) > 0 {
		fmt.Fprintln(t, "  WORKER\tHOST\tPID\tVERSION\tDONE\tHEARD\tSTATE")
	}
	for _, w := range s.Workers {
		fmt.Fprintf(t, "  %s\t%s\t%d\t%s\t%d\t%s\t%s\n", printable(w.ID[:min(len(w.ID), shownID)]), printable(w.Host), w.PID,
			printable(w.Version), w.Done, w.Heard.Format(time.DateTime), w.state())
	}
	if err := t.Flush(); err != nil || len(s.Plans) == 0 {
		return err
	}
	fmt.Fprintln(t, "  PLAN\tSINCE\tOPEN\tPLAYED\tGOES\tSTATE")
	for _, p := range s.Plans {
		state := "nobody waits for it"
		if p.Awaited {
			state = "under way"
		}
		fmt.Fprintf(t, "  %s\t%s\t%d\t%d\t%s\t%s\n", printable(p.Plan), p.Since.Format(time.DateTime), p.Open, p.Played,
			p.Goes.Format(time.DateTime), state)
	}
	return t.Flush()
}

// shownID is how much of a worker's id people are shown.
const shownID = 8

// state says what a worker does.
func (w *Worker) state() string {
	switch {
	case w.Silent:
		return "silent: what it played is played by another"
	case queue.Lends(w.Plan):
		return fmt.Sprintf("lends its API for trial %d of %s", w.Run, printable(w.Plan))
	case w.Plan != "" && w.Judges:
		return fmt.Sprintf("judges part %d of %s", w.Item, printable(w.Plan))
	case w.Plan != "" && w.Tries:
		return fmt.Sprintf("runs trial %d of %s", w.Item, printable(w.Plan))
	case w.Plan != "":
		return fmt.Sprintf("plays item %d of run %d of %s", w.Item, w.Run, printable(w.Plan))
	}
	switch {
	case w.Judges:
		return "waits for maps to judge"
	case w.Tries:
		return "waits for trials of mock search"
	}
	return "waits"
}
