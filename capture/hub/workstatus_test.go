package hub_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
)

// TestWorkStatus: who is there, what each plays, what is left of it, what is stuck, and what goes when.
func TestWorkStatus(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/work", dir)
	ctx := t.Context()
	status := func(in time.Duration) (*hub.Status, string) {
		t.Helper()
		got, err := l.Status(ctx, time.Now().Add(in))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := got.Write(&text, "text"); err != nil {
			t.Fatal(err)
		}
		return &got, text.String()
	}
	key, err := queue.NewKey([]byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	round, err := queue.Begin(ctx, l.Work(), key, "abc", &queue.Job{}, &console.Console{Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := round.Offer(ctx, 1, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Work().Put(ctx, "abc.result.1.0", []byte("sealed")); err != nil {
		t.Fatal(err)
	}
	got, _ := status(0)
	if plan := got.Work[0].Plans[0]; plan.Plan != "abc" || plan.Open != 3 || plan.Played != 1 || plan.Awaited || plan.Goes.Sub(plan.Since) != 7*24*time.Hour {
		t.Errorf("the plan: %+v", plan)
	}
	if want := "work: 3 items of abc wait, and no worker that plays is there: start flaketap worker nats://HOST:PORT/work " +
		"with --start CMD"; len(got.Findings) != 1 || got.Findings[0] != want {
		t.Errorf("without a worker: %q", got.Findings)
	}
	for _, p := range []queue.Presence{
		{ID: "A234567890", Host: "one", PID: 7, Version: "1.2", Plan: "abc", Run: 1, Item: 2, Attempt: 4, Done: 5},
		{ID: "B234567890", Host: "two\x1b[31m", PID: 8}, {ID: "C234567890", Host: "three", PID: 9, Plan: "trials-x", Run: 4, Attempt: 4},
		{ID: "D234567890", Host: "four"},
	} {
		if err := l.Crew().Tell(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Crew().Leave(ctx, "D234567890"); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Crew().Present(ctx, time.Now()); n[queue.Plays] != 3 || len(n) != 1 || err != nil {
		t.Errorf("%v are there, %v", n, err)
	}
	got, text := status(0)
	times := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
	want := `work: 3 workers
  WORKER    HOST       PID  VERSION  DONE  HEARD   STATE
  A2345678  one        7    1.2      5     <time>  plays item 2 of run 1 of abc
  C2345678  three      9    -        0     <time>  lends its API for trial 4 of trials-x
  B2345678  two?[31m  8    -        0     <time>  waits
  PLAN  SINCE   OPEN  PLAYED  GOES    STATE
  abc   <time>  3     1       <time>  nobody waits for it

Stuck:
  work: item 2 of run 1 of abc is played in attempt 4 of 5, now on one: it ends APIs or workers, and is given up after the last attempt; what workers say there tells why
`
	_, table, _ := strings.Cut(times.ReplaceAllString(text, "<time>"), "\n\n")
	squeeze := func(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }
	if d := gocmp.Diff(squeeze(want), squeeze(table)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if _, text = status(time.Hour); !strings.Contains(text, "silent: what it played is played by another") ||
		!strings.Contains(text, "work: the replay of abc, which began 1h") ||
		!strings.Contains(text, " ago, is gone: replay --resume goes on with it, flaketap hub remove nats://HOST:PORT/work --plan abc takes away what "+
			"it left, and it goes by itself on "+got.Work[0].Plans[0].Goes.Format(time.DateTime)) {
		t.Errorf("an hour later:\n%s", text)
	}
	waiting, leave := context.WithCancel(ctx)
	defer leave()
	for ticket, err := range l.Work().Results(waiting, "abc") { // who waits for results is there
		if fmt.Sprint(ticket, err) != "{abc 1 0} <nil>" {
			t.Errorf("got %v, %v", ticket, err)
		}
		if got, _ = status(time.Hour); !got.Work[0].Plans[0].Awaited {
			t.Errorf("it is waited for: %+v", got.Work[0].Plans)
		}
		break
	}
	if err := l.Remove(ctx); err != nil {
		t.Fatal(err)
	}
	if got, _ = status(0); len(got.Work) > 0 {
		t.Errorf("it was removed, and there is %+v", got.Work)
	}
}

// TestLenderIsThere: who has trials is there as long as it listens.
func TestLenderIsThere(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l, other := dial(t, s.Address()+"/work", dir), dial(t, s.Address()+"/work", dir)
	plan := queue.LendingPlan()
	if err := l.Work().Put(t.Context(), plan+".job", []byte("job")); err != nil {
		t.Fatal(err)
	}
	here, err := l.Wire().Listen(queue.HereName(plan))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Wire().Say("nobody", queue.HereName(plan), []byte("x")); err != nil { // and its answer says that the hub knows
		t.Fatal(err)
	}
	if _, err := here.Hear(t.Context()); err == nil || !strings.Contains(err.Error(), queue.ErrNobody.Error()) {
		t.Errorf("where nobody listens: %v", err)
	}
	for _, there := range []bool{true, false} {
		got, err := other.Status(t.Context(), time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if p := got.Work[0].Plans[0]; !p.Trials || p.Awaited != there || (len(got.Findings) == 0) != there {
			t.Errorf("there %v: %+v, %q", there, p, got.Findings)
		}
		here.Close()
		if err := l.Work().Put(t.Context(), "after.item.0", []byte("x")); err != nil { // whose answer says that the hub knows
			t.Fatal(err)
		}
	}
}

// TestSearchInStatus: the trials of a search wait for workers with --external, whoever else is there.
func TestSearchInStatus(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/work", dir)
	if err := l.Mocking().Put(t.Context(), "abc.job", []byte("job")); err != nil {
		t.Fatal(err)
	}
	if err := l.Mocking().Offer(t.Context(), queue.Ticket{Plan: "abc", Run: 1}); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		there queue.Presence
		want  int
	}{{queue.Presence{ID: "plays"}, 1}, {queue.Presence{ID: "tries", Tries: true}, 0}} {
		if err := l.Crew().Tell(t.Context(), one.there); err != nil {
			t.Fatal(err)
		}
		got, err := l.Status(t.Context(), time.Now())
		if err != nil || len(got.Work) != 1 || len(got.Work[0].Plans) != 1 || !got.Work[0].Plans[0].Search {
			t.Fatalf("%+v, %v", got.Work, err)
		}
		if f := got.Findings; len(f) != one.want || len(f) > 0 && !strings.Contains(f[0], "--external") {
			t.Errorf("%s is there: %q", one.there.ID, f)
		}
	}
}

// TestMapsInStatus: what is to be judged stands beside what is to be played, and waits for workers that judge.
func TestMapsInStatus(t *testing.T) {
	dir := t.TempDir()
	s := start(t, server.Options{Dir: dir})
	l := dial(t, s.Address()+"/work", dir)
	for _, board := range []*hub.Work{l.Work(), l.Judging()} {
		if err := board.Put(t.Context(), "abc.job", []byte("job")); err != nil {
			t.Fatal(err)
		}
		if err := board.Offer(t.Context(), queue.Ticket{Plan: "abc", Run: 1}); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(judges bool) []string {
		if err := l.Crew().Tell(t.Context(), queue.Presence{ID: fmt.Sprint(judges), Judges: judges}); err != nil {
			t.Fatal(err)
		}
		got, err := l.Status(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		maps := 0
		for _, p := range got.Work[0].Plans {
			if p.Map {
				maps++
			}
		}
		if len(got.Work) != 1 || len(got.Work[0].Plans) != 2 || maps != 1 {
			t.Fatalf("want a replay and a map under one name: %+v", got.Work)
		}
		return got.Findings
	}
	if f := wait(false); len(f) != 1 || !strings.Contains(f[0], "without --start") {
		t.Errorf("a worker that plays judges nothing: %q", f)
	}
	if f := wait(true); len(f) != 0 {
		t.Errorf("somebody judges: %q", f)
	}
	for id, p := range map[string]queue.Presence{"false": {Key: "player"}, "true": {Key: "judge", Judges: true}, "old": {},
		"tries": {Key: "external", Tries: true}} {
		p.ID = id
		if err := l.Crew().Tell(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for want, board := range map[string]*hub.Work{"[ player]": l.Work(), "[judge]": l.Judging(), "[external]": l.Mocking()} {
		keys, err := board.Keys(t.Context())
		if slices.Sort(keys); err != nil || fmt.Sprint(keys) != want {
			t.Errorf("keys %v, %v, want %s", keys, err, want)
		}
	}
}
