package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

// Settings are what init finds out: where the API is or how it is started, how it is reset, and what tests it.
type Settings struct {
	Target string // its base URL; "" where it is started at a port that is chosen
	Start  string // the command that starts it; "" where others do
	Ready  string // the URL that says whether it is ready; "" for none
	Reset  string // a URL or a command; "" for none
	Client string // the command that tests it, as one types it; "" where it is not known
}

// service is the API as commands start it.
func (s Settings) service() *service.Service {
	return &service.Service{Command: s.Start, Ready: s.Ready}
}

// Check finds what is wrong with the settings, or missing: mistakes in the command line (console.Usage).
func (s Settings) Check() error {
	if err := s.contradicts(); err != nil {
		return err
	}
	switch starts := s.Start != ""; {
	case !starts && s.Target == "":
		return console.Usage(errors.New("init needs to know where the API is: give --target URL, " +
			"or --start CMD with --ready URL; at a terminal it asks"))
	case starts && !s.service().ChoosesPort() && s.Target == "":
		return console.Usage(errors.New("--start without {port} needs --target URL, which says where the API is then"))
	}
	return nil
}

// contradicts finds what is wrong with the settings, whatever may be added to them.
func (s Settings) contradicts() error {
	if _, err := service.BaseURL(s.Target); err != nil {
		return err
	}
	if s.Start == "" {
		if s.Target != "" && s.Ready != "" {
			return console.Usage(errors.New("--ready needs --start, which runs the API"))
		}
		return nil
	}
	switch err := s.service().Check(); {
	case err != nil && s.Ready != "":
		return console.Usage(fmt.Errorf("--ready: %w", err))
	case err != nil:
		return console.Usage(fmt.Errorf("--start: %w", err))
	case s.service().ChoosesPort() && s.Target != "":
		return console.Usage(errors.New(
			"use either --start with {port} or --target, not both: {port} already says where the API is"))
	}
	return nil
}

// usualTarget is offered where nobody has said where the API is.
const usualTarget = "http://127.0.0.1:8080"

// Ask asks for what is not there: where the API is, how it is reset, and which of the clients that were found, or
// another, tests it. What no answer could mend is said before anything is asked.
func (s *Settings) Ask(ctx context.Context, d *console.Dialog, found []Client) (err error) {
	if err := s.contradicts(); err != nil {
		return err
	}
	switch {
	case s.Target == "" && s.Start == "":
		err = s.askAPI(ctx, d)
	case s.Target == "" && !s.service().ChoosesPort():
		err = s.askTarget(ctx, d)
	}
	if err != nil {
		return err
	}
	if s.Start != "" && s.Ready == "" {
		if err = s.askReady(ctx, d); err != nil {
			return err
		}
	}
	if s.Reset == "" {
		question := "how it is put back to its start: a URL that is sent a POST, or a command (empty: not at all)"
		if s.Start != "" {
			question = "what is reset after each start, if that is not enough: a URL that is sent a POST, or a command (empty: nothing)"
		}
		if s.Reset, err = d.Line(ctx, question, "", nil); err != nil {
			return err
		}
	}
	if s.Client == "" {
		usual := ""
		if len(found) > 0 {
			usual = found[0].Command
		}
		s.Client, err = d.Line(ctx, "command that tests it: a suite, a fuzzer (empty: none yet)", usual, nil)
	}
	return err
}

// askReady asks what says that the API is ready. A path is one of the API's.
func (s *Settings) askReady(ctx context.Context, d *console.Dialog) error {
	base := strings.TrimSuffix(s.Target, "/")
	if s.service().ChoosesPort() {
		base = "http://127.0.0.1:{port}"
	}
	_, err := d.Line(ctx, "URL, or path, that answers 2xx without a login once it is ready", base+"/", func(answer string) error {
		s.Ready = answer
		if strings.HasPrefix(answer, "/") {
			s.Ready = base + answer
		}
		return s.service().Check()
	})
	return err
}

// askAPI asks where the API is, or how it is started.
func (s *Settings) askAPI(ctx context.Context, d *console.Dialog) error {
	answer, err := d.Line(ctx, "the API: its base URL, or the command that starts it ({port} in it becomes a free port)",
		usualTarget, func(answer string) error {
			if !isURL(answer) {
				return nil
			}
			_, err := service.BaseURL(answer)
			return err
		})
	if err != nil {
		return err
	}
	if isURL(answer) {
		s.Target = answer
		return nil
	}
	s.Start = answer
	if s.service().ChoosesPort() {
		return nil
	}
	return s.askTarget(ctx, d)
}

// askTarget asks where an API that is started at a port of its own is found: as a rule where it says that it is ready.
func (s *Settings) askTarget(ctx context.Context, d *console.Dialog) (err error) {
	usual := usualTarget
	if s.Ready != "" {
		_, asked := s.service().Readiness()
		if u, err := url.Parse(asked); err == nil && u.Host != "" {
			usual = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
		}
	}
	s.Target, err = d.Line(ctx, "base URL at which it is found then", usual, func(answer string) error {
		_, err := service.BaseURL(answer)
		return err
	})
	return err
}

func isURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }

// setting is a line of the file, with what is said above it.
type setting struct{ says, name, value, example string }

// YAML returns the settings file.
func (s Settings) YAML() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`# Settings of flaketap. What stands here is a flag of each command that has one of that name; a section named after a
# command ("replay:") is for that command alone. The command line and FLAKETAP_ variables win over it.
`)
	for _, l := range []setting{
		{"where the API is", "target", s.Target, usualTarget},
		{"what starts the API, anew for each run; {port} becomes a free port", "start", s.Start, "./api --port {port}"},
		{"answers 2xx once the API is ready ('401 URL' waits for 401)", "ready", s.Ready, "http://127.0.0.1:{port}/health"},
		{"puts the API back to its start before each run, which destroys what it holds: a URL that is sent a POST, or a command",
			"reset", s.Reset, "./reset-db.sh"},
	} {
		if l.value == "" {
			fmt.Fprintf(&b, "\n# %s\n# %s: %s\n", l.says, l.name, l.example)
			continue
		}
		value, err := l.yaml(s.Reset != "" || s.Start != "")
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n# %s\n%s", l.says, value)
	}
	b.WriteString(`
# what else is secret, beside what always is: names of members or headers, or places
# secrets: [internalNote, /body/user/pin]
`)
	if s.Client != "" {
		fmt.Fprintf(&b, "\n# what tests the API: %s\n", console.OneLine(s.Next()))
	}
	return b.Bytes(), nil
}

// withoutReset are the commands that an API's address is for where nothing resets it. Others try what they write on an
// API that they know, for which they have to reset it.
func withoutReset() []string { return []string{"record", "rerun", "steady", "verify", "doctor"} }

// yaml returns the setting for all commands; where nothing resets the API, that of its address for those that need no
// reset.
func (l setting) yaml(resets bool) ([]byte, error) {
	node := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: l.value}
	if strings.ContainsFunc(l.value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		node.Style = yaml.DoubleQuotedStyle // of several lines, other styles keep what stands between
	}
	line := map[string]*yaml.Node{l.name: &node}
	var value []byte
	var err error
	if l.name != "target" || resets {
		value, err = yaml.Marshal(line)
	} else {
		sections := map[string]map[string]*yaml.Node{}
		for _, command := range withoutReset() {
			sections[command] = line
		}
		value, err = yaml.Marshal(sections)
	}
	if err != nil {
		return nil, fmt.Errorf("write setting %s: %w", l.name, err)
	}
	return value, nil
}
