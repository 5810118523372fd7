package analysis

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/store"
)

// Traced is a recording whose data flow and secrets are known, before anything is judged.
type Traced struct {
	Recording  exchange.Recording
	Runs       []exchange.Run
	Exchanges  []*exchange.Exchange          // outlines of those that can be read, see [flow.Outliner]
	Bindings   []exchange.Binding            // those that no run refuses
	Operations map[uint64]exchange.Operation // by Seq; their templates may hold secrets
	Redactor   exchange.Redactor
	Lapses     []flow.Lapse         // the credentials that runs were refused with
	Damage     []*store.DamageError // what cannot be read

	rules   flow.Rules  // the user's, with the templates of a description that was recorded
	sieve   *flow.Sieve // takes out what these were answered; nil where nothing lapsed
	secrets *exchange.Secrets
}

// Trace makes the first two passes over a recording.
func Trace(db *store.Store, o Options) (*Traced, error) {
	gc := TuneGC(Bounded)
	defer gc.Restore()
	return trace(ending(o.Context, db), o, gc)
}

func trace(db source, o Options, gc *GC) (*Traced, error) {
	t := &Traced{}
	var err error
	if t.Recording, err = db.Recording(); err != nil {
		return nil, err
	}
	if t.Runs, err = db.Runs(); err != nil {
		return nil, err
	}
	described := &descriptions{}
	if o.Rules.Bindings.Paths == nil {
		described.read = o.ReadTemplates
	}
	found, err := t.outline(db, o.Rules.Bindings, described, gc)
	if err != nil {
		return nil, err
	}
	secrets := &exchange.Secrets{Named: o.Secrets, Stored: t.Recording.Redacted()}
	o.Credentials.Secret(secrets)
	lapses := flow.NewLapses(t.Runs, found)
	if t.Bindings, err = t.prove(db, found, secrets, lapses); err != nil {
		return nil, err
	}
	if t.Lapses, err = weigh(db, lapses); err != nil {
		return nil, err
	}
	if len(t.Lapses) > 0 {
		t.sieve = lapses.Sieve(t.Lapses)
		proofs, err := flow.Prove(found, t.Runs, sieved(db, t.sieve))
		if err != nil {
			return nil, err
		}
		t.Bindings = flow.Kept(found, proofs)
	}
	t.rules = described.rules(o.Rules.Bindings)
	t.Operations = t.rules.Operations(t.Exchanges, t.Bindings)
	t.secrets = secrets
	t.Redactor = exchange.Redactor{Key: t.Recording.Key, Known: secrets.Known(), Reveal: o.Reveal}
	return t, nil
}

// outlined is an exchange with its outline.
type outlined struct{ whole, outline *exchange.Exchange }

// outline is the first pass: it keeps an outline of each exchange, and finds the bindings. Damage is noted in the
// second.
func (t *Traced) outline(db source, rules flow.Rules, described *descriptions,
	gc *GC) ([]exchange.Binding, error) {
	var outliner flow.Outliner
	outlines := func(yield func(outlined, error) bool) {
		for e, err := range store.Readable(db.Exchanges(), nil) {
			o := outlined{whole: e}
			if err == nil {
				o.outline = outliner.Outline(e)
			}
			if !yield(o, err) {
				return
			}
		}
	}
	binder := flow.NewBinderWith(rules)
	for o, err := range ahead.Of(outlines, func(o outlined) int { return o.whole.Size() }) {
		if err != nil {
			return nil, err
		}
		binder.Add(o.whole)
		described.look(o.whole)
		t.Exchanges = append(t.Exchanges, o.outline)
		gc.Exchanges(len(t.Exchanges))
	}
	return binder.Bindings(), nil
}

// prove is the second pass: it returns the bindings that no run refuses, and collects the secrets on the way, and the
// credentials that may have lapsed.
func (t *Traced) prove(db source, found []exchange.Binding, secrets *exchange.Secrets,
	lapses *flow.Lapses) ([]exchange.Binding, error) {
	readable := store.Readable(db.Steps(), func(d *store.DamageError) { t.Damage = append(t.Damage, d) })
	steps := func(yield func(exchange.Step, error) bool) {
		for s, err := range ahead.Of(readable, exchange.Step.Size) {
			if err == nil {
				secrets.Step(s)
				lapses.Look(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
	if len(t.Runs) > 0 && len(found) > 0 {
		proofs, err := flow.Prove(found, t.Runs, ahead.Of(steps, exchange.Step.Size))
		return flow.Kept(found, proofs), err
	}
	for _, err := range steps {
		if err != nil {
			return nil, err
		}
	}
	return flow.Kept(found, nil), nil
}

// conceal shows the secrets in the templates of operations as tokens, and gives bindings that are named after such a
// path another name.
func (t *Traced) conceal() {
	letters := strings.NewReplacer("-", "", "_", "", ".", "", "~", "", "%", "")
	paths := make(map[uint64]string)
	for _, e := range t.Exchanges {
		path, _ := exchange.SplitTarget(e.Request.Target)
		if segment := path[strings.LastIndexByte(path, '/')+1:]; len(t.Redactor.Secrets(segment)) > 0 {
			paths[e.Seq] = strings.ToLower(letters.Replace(segment))
		}
	}
	for i := range t.Bindings {
		b := &t.Bindings[i]
		segment := paths[b.Producer.Seq]
		name := strings.ToLower(b.Name)
		if segment != "" && len(name) >= 4 && strings.HasPrefix(segment, name[:min(len(name), len(segment), 4)]) {
			b.Name = fmt.Sprintf("bound%d", i+1)
		}
	}
	for seq, op := range t.Operations {
		op.Template = t.Redactor.Show("", op.Template)
		t.Operations[seq] = op
	}
}
