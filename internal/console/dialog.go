package console

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Dialog asks a person at a terminal. A nil *Dialog is one with nobody at it.
type Dialog struct {
	lines *bufio.Scanner
	out   io.Writer
}

// NewDialog returns a dialog that reads answers from in, and writes questions to out.
func NewDialog(in io.Reader, out io.Writer) *Dialog { return &Dialog{bufio.NewScanner(in), out} }

// maxAsked is how often one question is asked: who answers something else every time is no person.
const maxAsked = 10

// Line asks for a line of text, and returns usual for an empty one. check says what is wrong with an answer, which is
// asked for anew then; nil takes any.
func (d *Dialog) Line(ctx context.Context, question, usual string, check func(string) error) (string, error) {
	if usual != "" {
		question += " [" + OneLine(usual) + "]"
	}
	for range maxAsked {
		fmt.Fprintf(d.out, "%s: ", question)
		more, err := ScanLine(ctx, d.lines)
		if err == nil && !more {
			err = cmp.Or(d.lines.Err(), errors.New("no answer: the input ended"))
		}
		if err != nil {
			fmt.Fprintln(d.out)
			return "", err
		}
		answer := strings.TrimSpace(d.lines.Text())
		if answer == "" {
			answer = usual
		}
		if check == nil {
			return answer, nil
		}
		wrong := check(answer)
		if wrong == nil {
			return answer, nil
		}
		fmt.Fprintf(d.out, "  %s\n", OneLine(wrong.Error()))
	}
	return "", fmt.Errorf("no usable answer to %q after %d tries", question, maxAsked)
}

// Yes asks a question that is answered with yes or no; no answer is a no.
func (d *Dialog) Yes(ctx context.Context, question string) (bool, error) {
	answer, err := d.Line(ctx, question+" [y]es, [n]o", "", func(s string) error {
		switch strings.ToLower(s) {
		case "y", "yes", "n", "no", "":
			return nil
		}
		return errors.New("answer y or n")
	})
	return strings.HasPrefix(strings.ToLower(answer), "y"), err
}

// ScanLine waits for a line, or for the end of ctx. Nothing but its sender can end a read from a terminal: after a
// Ctrl-C it ends with the process.
func ScanLine(ctx context.Context, lines *bufio.Scanner) (bool, error) {
	read := make(chan bool, 1)
	go func() { read <- lines.Scan() }()
	select {
	case more := <-read:
		return more, nil
	case <-ctx.Done():
		return false, errors.New("interrupted")
	}
}
