package wander

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// API is what a walker knows of an API.
type API struct {
	Operations []Operation
	// Logins are the operations by which people log in; those that sign up are among Operations.
	Logins []Operation
	// Bearer is what an Authorization header has before the token: "Bearer ", or nothing.
	Bearer string
	// Seeds are values that are there from the start, by kind.
	Seeds map[string][]string
	// First are the operations that a walk begins with, by name: without them nobody can log in, or nothing be asked.
	First []string
}

// Operation is a request with placeholders: {kind} is a value of a kind that is known, {+kind} a new name, {~} a word,
// {#} a number.
type Operation struct {
	Name, Method, Path, Body string
	// Gives says where the answer has values of a kind, as a JSON Pointer; "=kind" is the value that was sent for it.
	Gives  map[string]string
	Token  bool // it is sent by somebody who has logged in
	Weight int  // how often it is chosen; 0 means 4
}

// Piece is a part of a text that was sent: as it is, or from an earlier answer.
type Piece struct {
	Text string `json:"text"`
	From int    `json:"from"` // the step whose answer gave it; -1 for none
	At   string `json:"at,omitempty"`
}

// Step is one request of a walk.
type Step struct {
	Operation string  `json:"operation"`
	Method    string  `json:"method"`
	Path      []Piece `json:"path"`
	Body      []Piece `json:"body"`
	Token     []Piece `json:"token"` // of the Authorization header; none where nobody has logged in
	Visit     int     `json:"visit"` // whose it is: steps of one visit follow each other
	Login     bool    `json:"login"`
	Status    int     `json:"status"`
	Answer    string  `json:"answer"`
}

// known is how many of the latest values of a kind are chosen from.
const known = 10

// Walk makes a walk of so many steps, and returns them.
func Walk(client *http.Client, base string, api *API, seed uint64, steps int) ([]Step, error) {
	w := &walk{api: api, walker: Walker{Client: client, Base: base}, random: rand.New(rand.NewPCG(seed, 77)),
		pool: map[string][]Piece{}}
	for kind, values := range api.Seeds {
		for _, v := range values {
			w.pool[kind] = append(w.pool[kind], Piece{Text: v, From: -1})
		}
	}
	for _, name := range api.First {
		if err := w.do(w.operation(name), nil); err != nil {
			return nil, err
		}
		w.visit++
	}
	for len(w.steps) < steps {
		if err := w.visits(); err != nil {
			return nil, err
		}
	}
	return w.steps, nil
}

type walk struct {
	api    *API
	walker Walker
	random *rand.Rand
	pool   map[string][]Piece
	mine   map[string]Piece // what the login of the visit gave, but for the token
	steps  []Step
	visit  int
	names  int
}

func (w *walk) operation(name string) Operation {
	return w.api.Operations[slices.IndexFunc(w.api.Operations, func(o Operation) bool { return o.Name == name })]
}

// visits is one person's: they log in, or not, and do a few things.
func (w *walk) visits() error {
	defer func() { w.visit++ }()
	var token []Piece
	w.mine = map[string]Piece{}
	if len(w.api.Logins) > 0 && w.random.IntN(5) > 0 {
		login := w.api.Logins[w.random.IntN(len(w.api.Logins))]
		if err := w.do(login, nil); err != nil {
			return err
		}
		last := &w.steps[len(w.steps)-1]
		last.Login = last.Status/100 == 2
		if last.Login {
			value, _ := pointed([]byte(last.Answer), login.Gives["token"])
			token = []Piece{{w.api.Bearer, -1, ""}, {value, len(w.steps) - 1, login.Gives["token"]}}
			for kind, at := range login.Gives {
				if own, ok := pointed([]byte(last.Answer), at); ok && kind != "token" {
					w.mine[kind] = Piece{own, len(w.steps) - 1, at}
				}
			}
		}
	}
	for range 1 + w.random.IntN(5) {
		if err := w.do(w.choose(), token); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) choose() Operation {
	sum := 0
	for _, o := range w.api.Operations {
		sum += o.weight()
	}
	n := w.random.IntN(sum)
	for _, o := range w.api.Operations {
		if n -= o.weight(); n < 0 {
			return o
		}
	}
	return w.api.Operations[0]
}

func (o Operation) weight() int {
	if o.Weight == 0 {
		return 4
	}
	return o.Weight
}

// do sends an operation with values in the places of its placeholders, and remembers what came of it.
func (w *walk) do(o Operation, token []Piece) error {
	sent := map[string]Piece{}
	s := Step{Operation: o.Name, Method: o.Method, Visit: w.visit, Path: w.fill(o.Path, sent), Body: w.fill(o.Body, sent)}
	if o.Token {
		s.Token = token
	}
	status, answer, err := w.walker.send(&s, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	s.Status, s.Answer = status, string(answer)
	if status/100 == 2 {
		for kind, at := range o.Gives {
			if own, mine := strings.CutPrefix(at, "="); mine {
				if p, ok := sent[own]; ok {
					w.pool[kind] = append(w.pool[kind], p)
				}
			} else if value, ok := pointed(answer, at); ok && kind != "token" {
				w.pool[kind] = append(w.pool[kind], Piece{value, len(w.steps), at})
			}
		}
	}
	w.steps = append(w.steps, s)
	return nil
}

// fill puts values in the places of the placeholders of a text. One that is there twice gets the same value twice.
func (w *walk) fill(text string, sent map[string]Piece) []Piece {
	var out []Piece
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		end := strings.IndexByte(rest, '}')
		if !found || end < 1 || strings.ContainsAny(rest[:end], `": `) { // a JSON object
			n := len(before)
			if found {
				n++
			}
			out, text = append(out, Piece{text[:n], -1, ""}), text[n:]
			continue
		}
		if before != "" {
			out = append(out, Piece{before, -1, ""})
		}
		out, text = append(out, w.value(rest[:end], sent)), rest[end+1:]
	}
	return out
}

func (w *walk) value(name string, sent map[string]Piece) Piece {
	switch {
	case name == "#":
		return Piece{strconv.Itoa(1 + w.random.IntN(9)), -1, ""}
	case name == "~":
		words := []string{"lamp", "chair", "stone", "cloud", "river", "seven", "amber"}
		return Piece{words[w.random.IntN(len(words))], -1, ""}
	}
	kind, fresh := strings.CutPrefix(name, "+")
	if p, ok := sent[kind]; ok {
		return p
	}
	if p, ok := w.mine[kind]; ok {
		return p
	}
	all := w.pool[kind]
	seeds := len(w.api.Seeds[kind])
	switch {
	case fresh && (len(all) == 0 || w.random.IntN(6) > 0):
		w.names++
		sent[kind] = Piece{fmt.Sprintf("%s%d", kind, 10+w.names), -1, ""}
	case len(all) == 0:
		sent[kind] = Piece{"nothing7", -1, ""}
	case seeds > 0 && w.random.IntN(6) == 0:
		sent[kind] = all[w.random.IntN(seeds)]
	default:
		sent[kind] = all[max(0, len(all)-known):][w.random.IntN(min(known, len(all)))]
	}
	return sent[kind]
}

// Test is a test that was cut out of a walk: its steps, by their numbers, in order.
type Test struct {
	Name  string
	Steps []int
}

// Tests cuts tests out of a walk, up to so many for each operation and status.
func Tests(steps []Step, seed uint64, each int) []Test {
	random := rand.New(rand.NewPCG(seed, 99))
	found := map[string][]int{}
	var order []string
	for i, s := range steps {
		if s.Login {
			continue
		}
		key := s.Operation + "_returns_" + strconv.Itoa(s.Status)
		if found[key] == nil {
			order = append(order, key)
		}
		found[key] = append(found[key], i)
	}
	var out []Test
	for _, key := range order {
		all := found[key]
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, at := range all[:min(each, len(all))] {
			t := Test{Name: fmt.Sprintf("test_%d_%s", len(out), key), Steps: []int{at}}
			if before := at - 1; before >= 0 && !steps[before].Login && steps[before].Visit == steps[at].Visit &&
				random.IntN(3) == 0 {
				t.Steps = []int{before, at}
			}
			for _, i := range t.Steps {
				if from := login(steps[i]); from >= 0 && !slices.Contains(t.Steps, from) {
					t.Steps = slices.Insert(t.Steps, 0, from)
				}
			}
			out = append(out, t)
		}
	}
	return out
}

// login returns the step that a step's token is from, -1 where it has none.
func login(s Step) int {
	for _, p := range s.Token {
		if p.From >= 0 {
			return p.From
		}
	}
	return -1
}
