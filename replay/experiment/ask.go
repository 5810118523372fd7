package experiment

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
)

// question is what --unsafe ask asks about.
type question struct {
	to string
	exchange.Operation
}

// askUnsafe asks about each operation that may change something, once, before anything is sent.
func (s *session) askUnsafe(ctx context.Context) error {
	if s.Answers == nil {
		return console.Advise(errors.New("--unsafe ask needs a terminal to ask at"),
			"use --unsafe skip to send none of them, or --skip 'DELETE' to leave out some")
	}
	operations, err := s.survey.operations()
	if err != nil {
		return err
	}
	counts := map[question]int{}
	var order []question
	for e := range s.survey.exchanges() {
		to, skip := s.player.Destination(e)
		if skip != "" || e.Request.Safe() {
			continue
		}
		q := question{to, operations[e.Seq]}
		if counts[q] == 0 {
			order = append(order, q)
		}
		counts[q]++
	}
	no, err := ask(ctx, s.Answers, s.Console.Err, order, counts)
	s.chosen.refused = func(e *exchange.Exchange) bool {
		r := s.player
		r.Skip = nil
		to, _ := r.Destination(e)
		return slices.Contains(no, question{to, operations[e.Seq]})
	}
	return err
}

// ask returns the questions that were answered with no.
func ask(ctx context.Context, in io.Reader, out io.Writer,
	questions []question, counts map[question]int) (no []question, err error) {
	lines := bufio.NewScanner(in)
	for i := 0; i < len(questions); i++ {
		q := questions[i]
		fmt.Fprintf(out, "send %s %s to %s, %s per run? [y]es, [n]o, [a]ll of them, no[t]hing more, [q]uit: ",
			q.Method, console.OneLine(q.Template), q.to,
			console.Count(counts[q], "request"))
		more, err := console.ScanLine(ctx, lines)
		if err != nil {
			fmt.Fprintln(out)
			return nil, fmt.Errorf("%w: nothing was sent", err)
		}
		if !more {
			return nil, errors.Join(errors.New("no answer: nothing was sent"), lines.Err())
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
		case "n", "no":
			no = append(no, q)
		case "a", "all":
			return no, nil
		case "t", "nothing":
			return append(no, questions[i:]...), nil
		case "q", "quit":
			return nil, errors.New("stopped at your request; nothing was sent")
		default:
			i-- // and asked again
		}
	}
	return no, nil
}
