package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	flowmessage "github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/urfave/cli/v2"
)

// perturbFlags are those that say under what further conditions runs are played.
func perturbFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "perturb", Usage: "further runs, each under `CONDITION`s of its own, as double,delay=5s,order=reverse*2; default and all name several"},
		libfaketimeFlag(),
		&cli.IntFlag{Name: "trials", Value: 40, Usage: "`N`umber of runs at most in the search for what depends on order; 0 for no search"},
	}
}

// perturbation is a way to play a recording under another condition than its own.
type perturbation struct {
	name  string
	value string // what may follow =, for people; "" where nothing may
	what  string // for people
	usual bool   // one of --perturb default
	start bool   // it takes an API that flaketap runs itself (--start)
	// make arranges a run under the condition. value is what followed =, "" where nothing did.
	make func(value string, s situation) (condition, error)
	// several does so where it takes several runs; nil where one does.
	several func(s situation) ([]condition, error)
}

// condition is a perturbation as one run has it.
type condition struct {
	name    string           // as it is stored with the run
	kind    exchange.RunKind // RunReplay where it is ""
	wait    time.Duration    // before the run
	further int              // further requests for each that is repeatable
	order   ordering         // of the sequences; nil: as recorded
	without []string         // the names of the bindings that are left out
	arrange func(*replay.Player)
}

// situation is what perturbations are made for.
type situation struct {
	load     *load
	service  *service.Service // nil where others run the API
	reset    service.Reset
	fakeTime string // the library that moves clocks, where it was named
	bindings []exchange.Binding
	proofs   []flow.Proof // what earlier runs say of them
}

// perturbations lists what --perturb knows.
func perturbations() []perturbation {
	return append([]perturbation{
		{name: "double", what: "each GET and HEAD request twice at the same instant, and twice more", usual: true, make: double},
		{name: "delay", value: "TIME", what: "a run that begins so much later, 2s without a value", usual: true, make: delay},
		{name: "language", value: "TAG", what: "another Accept-Language in every request", usual: true, make: language},
		{name: "connection", value: "fresh", what: "each request on a connection of its own", usual: true, make: connection},
		{name: "order", value: "reverse or shuffle", what: "independent sequences in another order, and the search for what depends on it", usual: true, make: inOtherOrder},
		{name: "workers", value: "N", what: "so many sequences at once, 4 without a value", make: workers},
		{name: "bindings", several: withoutBindings,
			what: "runs that send recorded values where others would be carried over, to prove that they are to be; unsafe requests too"},
	}, surroundings()...)
}

// withoutBindings plans runs that leave out bindings, as many as prove those that are not.
func withoutBindings(s situation) ([]condition, error) {
	var out []condition
	for _, round := range flow.Rounds(s.bindings, s.proofs, 0) {
		var names []string
		for _, b := range round {
			names = append(names, b.Name)
		}
		out = append(out, condition{name: "bindings", without: names, arrange: func(p *replay.Player) {
			p.Bindings = flow.Without(p.Bindings, names...)
		}})
	}
	return out, nil
}

func double(_ string, _ situation) (condition, error) {
	const more = 2 // four answers are enough to tell a number of visits from what moves by itself
	return condition{name: "double", kind: exchange.RunRepeat, further: more + 1, arrange: func(p *replay.Player) {
		p.Settle = 0
		p.Around = append(slices.Clone(p.Around), twiceAndMore(more))
	}}, nil
}

// twiceAndMore sends repeatable requests twice at the same instant, and so many further times.
func twiceAndMore(more int) replay.Around {
	return func(next replay.Send) replay.Send {
		twice := replay.Twice(repeatable)(next)
		return func(ctx context.Context, s replay.Sending, take func(*exchange.Observation) error) error {
			if err := twice(ctx, s, take); err != nil || !repeatable(s.Exchange) {
				return err
			}
			for range more {
				if err := next(ctx, s, take); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// maxDelay is the longest that a run may be put off.
const maxDelay = 48 * time.Hour

func delay(value string, _ situation) (condition, error) {
	if value == "" {
		value = "2s"
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > maxDelay {
		return condition{}, fmt.Errorf("a time from 1ms to %s, as 5s", maxDelay)
	}
	return condition{name: "delay=" + value, wait: d}, nil
}

func language(value string, s situation) (condition, error) {
	if value == "" {
		for _, value = range []string{"de", "fr", "ja", "es", "ar"} {
			if !s.load.languages[value] {
				break
			}
		}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) || len(value) > 100 {
		return condition{}, errors.New("a language tag, as de or pt-BR")
	}
	return condition{name: "language=" + value, arrange: func(p *replay.Player) {
		p.Around = append(slices.Clone(p.Around), replay.Altering(func(r exchange.Request) exchange.Request {
			return flowmessage.WithHeader(r, "Accept-Language", value)
		}))
	}}, nil
}

func connection(value string, _ situation) (condition, error) {
	if value != "" && value != "fresh" {
		return condition{}, errors.New("fresh")
	}
	return condition{name: "connection=fresh", arrange: func(p *replay.Player) { p.Around = append(slices.Clone(p.Around), replay.Apart) }}, nil
}

func workers(value string, _ situation) (condition, error) {
	if value == "" {
		value = "4"
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 2 || n > maxWorkers {
		return condition{}, fmt.Errorf("a number from 2 to %d", maxWorkers)
	}
	return condition{name: fmt.Sprintf("workers=%d", n), arrange: func(p *replay.Player) { p.Workers = n }}, nil
}

func inOtherOrder(value string, _ situation) (condition, error) {
	how, seed, seeded := strings.Cut(value, ":")
	switch {
	case value == "" || value == "reverse":
		return condition{name: "order=reverse", order: reversed}, nil
	case how == "shuffle":
		n, err := strconv.ParseUint(seed, 10, 32)
		switch {
		case !seeded:
			n = uint64(rand.Uint32())
		case err != nil:
			return condition{}, errors.New("shuffle:N with a number")
		}
		return condition{name: fmt.Sprintf("order=shuffle:%d", n), order: shuffled(n)}, nil
	}
	return condition{}, errors.New("reverse or shuffle")
}

// maxTimes bounds how many runs one condition may be given.
const maxTimes = 1000

// wanted is one of the values of --perturb, read.
type wanted struct {
	perturbation
	given string
	times int
	named bool // by itself, and not by a name for several
}

// readPerturb reads --perturb. started says that flaketap runs the API itself, which some conditions take.
func readPerturb(c *cli.Context, started bool) ([]wanted, error) {
	known := perturbations()
	var out []wanted
	for _, v := range c.StringSlice("perturb") {
		text, times, err := cutTimes(strings.TrimSpace(v))
		if err != nil {
			return nil, console.Usage(err)
		}
		name, value, _ := strings.Cut(text, "=")
		if name == "accept-language" {
			name = "language"
		}
		if name == "default" || name == "all" {
			for _, p := range known {
				if (p.usual || name == "all") && (started || !p.start) {
					out = append(out, wanted{perturbation: p, times: times})
				}
			}
			continue
		}
		i := slices.IndexFunc(known, func(p perturbation) bool { return p.name == name })
		switch {
		case i < 0:
			return nil, console.Usage(fmt.Errorf("--perturb knows no %q; %s", name, nearOr(name, perturbNames(known), "it knows "+strings.Join(perturbNames(known), ", "))))
		case known[i].start && !started:
			return nil, console.Usage(fmt.Errorf("--perturb %s takes an API that flaketap runs itself; --start CMD says how to run it", name))
		case value != "" && known[i].value == "":
			return nil, console.Usage(fmt.Errorf("--perturb %s takes no value, as in %q", name, v))
		}
		out = append(out, wanted{known[i], value, times, true})
	}
	return out, nil
}

// cutTimes cuts the number of runs off a condition: 3 of "double*3".
func cutTimes(text string) (string, int, error) {
	text, number, found := strings.Cut(text, "*")
	if !found {
		return text, 1, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > maxTimes {
		return "", 0, fmt.Errorf("--perturb %s*%s: behind * stands the number of runs, from 1 to %d", text, number, maxTimes)
	}
	return text, n, nil
}

func perturbNames(known []perturbation) []string {
	var out []string
	for _, p := range known {
		out = append(out, p.name)
	}
	return append(out, "default", "all")
}

// conditions makes the conditions of the runs that are wanted, in order.
func conditions(all []wanted, s situation) ([]condition, error) {
	var out []condition
	for _, w := range can(all, s) {
		if w.several != nil {
			made, err := w.several(s)
			if err != nil {
				return nil, err
			}
			out = append(out, made...)
			continue
		}
		for range w.times {
			made, err := w.make(w.given, s)
			if err != nil {
				return nil, refused(w, err)
			}
			out = append(out, made)
		}
	}
	return out, nil
}

// perturbHelp says what --perturb knows.
func perturbHelp() string {
	var b strings.Builder
	b.WriteString("--perturb adds runs, each under one further condition, which is stored with it. NAME*3 gives it three:\n")
	for _, p := range perturbations() {
		name := p.name
		if p.value != "" {
			name += "[=" + p.value + "]"
		}
		if p.start {
			p.what += " (with --start)"
		}
		fmt.Fprintf(&b, "  %-28s %s\n", name, p.what)
	}
	b.WriteString("  default                      ")
	for _, p := range perturbations() {
		if p.usual && !p.start {
			b.WriteString(p.name + " ")
		}
	}
	b.WriteString("and with --start ")
	for _, p := range perturbations() {
		if p.usual && p.start {
			b.WriteString(p.name + " ")
		}
	}
	b.WriteString("\n  all                          all that can be done here")
	return b.String()
}
