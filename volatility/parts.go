package volatility

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// A text that holds structure is judged as a whole, like any other value, and by its parts besides (see
// [exchange.Place.Part]). What the parts say goes back to the text: it moves for the reason they do.

// countWithinTexts counts, of the texts that differ in an observation, those of which a part differs too. differences
// come with those of a text's parts right behind its own.
func (w *stepAnalysis) countWithinTexts(differences []compare.Difference) {
	for i, d := range differences {
		if d.Kind != compare.Changed || i+1 == len(differences) || !isPartOf(differences[i+1].Place, d.Place) {
			continue
		}
		within := false
		for _, part := range differences[i+1:] {
			if !isPartOf(part.Place, d.Place) {
				break
			}
			// it is of the form no more
			if (part.Kind == compare.Added || part.Kind == compare.Removed) && part.Place.Parent() == d.Place {
				within = false
				break
			}
			within = within || part.Kind != compare.Notation
		}
		if within {
			w.operation.at([]byte(d.General)).text.within++
		}
	}
}

// isPartOf reports whether a place is that of a part of what a text holds.
func isPartOf(place, text exchange.Place) bool {
	rest, ok := strings.CutPrefix(string(place), string(text))
	return ok && strings.HasPrefix(rest, "/@")
}

// textOf returns the innermost text that a place is a part of, "" where it is none.
func textOf(place exchange.Place) exchange.Place {
	text, marker, ok := place.Text()
	if !ok {
		return ""
	}
	for from := len(text) + 1 + len(marker); ; {
		next, marker, more := place[from:].Text()
		if !more {
			return text
		}
		text = place[:from+len(next)]
		from = len(text) + 1 + len(marker)
	}
}

// explainByParts gives the texts of an operation what their parts say of them, those that lie within other texts first.
func explainByParts(j *judge, o *operationDraft) {
	parts := make(map[exchange.Place][]*mapfile.Field)
	for _, d := range o.drafts {
		if text := textOf(d.field.Place); text != "" {
			parts[text] = append(parts[text], d.field)
		}
	}
	places := make([]exchange.Place, 0, len(parts))
	for text := range parts {
		places = append(places, text)
	}
	slices.SortFunc(places, func(a, b exchange.Place) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	for _, text := range places {
		if d := o.at(text); d != nil {
			j.explainText(d, parts[text])
		}
	}
}

// explainText gives one text what its parts say.
func (j *judge) explainText(d *draft, parts []*mapfile.Field) {
	f, t := d.field, d.why
	switch {
	case t.kinds.moves() > 0:
		if t.text.within != t.kinds.moves() {
			return // something about it moved that no part tells
		}
		d.movesWithin(oneCategory(parts, func(p *mapfile.Field) bool { return p.Changed > 0 && p.Volatile() }))
	case f.Judgement == mapfile.Stable || f.Judgement == mapfile.Hint:
		would := func(p *mapfile.Field) bool { return p.Judgement == mapfile.WouldMove }
		if !slices.ContainsFunc(parts, would) {
			return
		}
		f.Judgement, f.Category, d.evidence = mapfile.WouldMove, oneCategory(parts, would), says(mapfile.SignParts)
		if more := signedOrSalted(t, conditions{}); len(more) > 0 {
			f.Category, d.evidence = mapfile.Crypt, append(d.evidence, more...)
		}
		d.explanations = []explanation{{Category: f.Category, Weight: 1, Evidence: slices.Clone(d.evidence)}}
		f.Holds = mapfile.Holds{}
		j.hold(d)
	}
}

// oneCategory returns the category that all of the parts have that are asked for, Unk where they have several.
func oneCategory(parts []*mapfile.Field, asked func(*mapfile.Field) bool) mapfile.Category {
	category := mapfile.Category("")
	for _, p := range parts {
		switch {
		case !asked(p):
		case category == "":
			category = p.Category
		case category != p.Category:
			return mapfile.Unk
		}
	}
	return cmp.Or(category, mapfile.Unk)
}

// movesWithin says of a text that it moves in its parts alone, which all do so for one reason, or for several where
// category is Unk. What the text says of itself gives way where it is no more than that something varies.
func (d *draft) movesWithin(category mapfile.Category) {
	f, parts := d.field, mapfile.SignParts.Alone()
	gives := f.Category == mapfile.Unk || f.Category == mapfile.Rand || f.Category == mapfile.RunMsg &&
		d.has(mapfile.SignMessage.Alone())
	if !gives || category == mapfile.Unk || category == f.Category {
		d.evidence = append(d.evidence, parts)
		return
	}
	f.Category, d.strength = category, suggested
	d.evidence = slices.Insert(d.evidence, 1, parts) // behind how often it moved
	d.explanations = verdict.First(d.explanations, explanation{Category: category, Weight: suggested,
		Evidence: []mapfile.Evidence{parts}})
	if category == mapfile.Time || category == mapfile.Unord {
		f.Judgement = mapfile.Jitter // as any place that differs by its nature
	}
}

// markSecrets finds the parts that are secret because their text is, and the texts that hide a secret from those who
// look for it in them by its name: base64.
func markSecrets(j *judge, d *operationDraft) {
	o := d.from
	for _, t := range o.places {
		text := textOf(t.place)
		if text == "" || isAttribute(t.place) {
			continue
		}
		secret := j.namedSecret(t.place)
		for around := text; around != "" && !secret; around = textOf(around) {
			above := o.places[string(around)]
			secret = above != nil && above.values.shapes&notation.ShapeJWT != 0
		}
		t.text.secretPart = secret
		told := secret || j.holdsSecret(t)
		for ; told && text != ""; text = textOf(text) {
			if strings.HasPrefix(string(t.place[len(text):]), "/"+exchange.PartBase64) {
				o.hide(text)
				break
			}
		}
	}
}

// namedSecret reports whether the place of a part is named as secrets are, the names of attributes included.
func (j *judge) namedSecret(place exchange.Place) bool {
	plain := plainNames(place)
	return j.options.Redactor.Known.Secret(place) || j.options.Redactor.Known.Secret(plain) ||
		slices.ContainsFunc(plain.Segments(), func(name string) bool { return reCredential().MatchString(name + "=x") })
}

// hide says of a text, and of those around it, that they hide a secret.
func (o *operation) hide(text exchange.Place) {
	for ; text != ""; text = textOf(text) {
		if t := o.places[string(text)]; t != nil {
			t.text.hidesSecret = true
		}
	}
}

// plainNames returns the place of a part with the names of its attributes as names: @sid of an element is a sid.
func plainNames(place exchange.Place) exchange.Place {
	if text, marker, ok := place.Text(); ok {
		from := len(text) + 1 + len(marker)
		return place[:from] + exchange.Place(strings.ReplaceAll(string(place[from:]), "/@", "/"))
	}
	return place
}

// isAttribute reports whether a place is that of an attribute of a cookie, which tells nothing of its value.
func isAttribute(place exchange.Place) bool {
	rest, ok := strings.CutPrefix(string(place), "/header/set-cookie/"+exchange.PartCookie+"/")
	_, name, more := strings.Cut(rest, "/")
	if !ok || !more {
		return false
	}
	switch name {
	case "path", "domain", "expires", "max-age", "secure", "httponly", "samesite", "partitioned", "priority":
		return true
	}
	return false
}
