package wardapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// patient is a person in the house.
type patient struct {
	id, number, family, given, sex string
	born                           time.Time
	made, edited                   time.Time
	version                        int
	gone                           bool
	seed                           bool
}

// seedPatientID is the patient whom the house begins with, and whom nobody may remove.
const seedPatientID = "7c0e8a10-3f7b-5b6e-9d2c-4b1a6f5e3d2c"

func seedPatients() map[string]*patient {
	at := time.Date(2025, 2, 3, 8, 15, 0, 0, time.UTC)
	all := map[string]*patient{}
	for i, x := range []struct{ id, family, given, born string }{
		{seedPatientID, "Müller", "Grete", "08.03.1938"},
		{"7c0e8a10-3f7b-5b6e-9d2c-4b1a6f5e3d2d", "Münster", "Karl", "31.10.1966"},
		{"7c0e8a10-3f7b-5b6e-9d2c-4b1a6f5e3d2e", "Mürre", "Inès", "17.07.2011"},
	} {
		born, _ := time.Parse(germanDate, x.born)
		all[x.id] = &patient{id: x.id, number: fmt.Sprintf("P-2025-%06d", 17+i), family: x.family, given: x.given, sex: "w",
			born: born, made: at, edited: at, version: 1, seed: true}
	}
	return all
}

func (a *API) patientRoutes() []route {
	return []route{
		service.On("POST", "/patienten", a.createPatient),
		service.On("GET", "/patienten", a.searchPatients),
		service.On("GET", "/patienten/{id}", a.getPatient),
		service.On("PUT", "/patienten/{id}", a.putPatient),
		service.On("DELETE", "/patienten/{id}", a.deletePatient),
	}
}

// view is a patient as a resource.
func (p *patient) view(now time.Time) object {
	return object{
		"resourceType": "Patient", "id": p.id, "identifier": []object{{"system": "urn:oid:1.2.276.0.76.4.8",
			"value": p.number}},
		"name": []object{{"use": "official", "family": p.family, "given": []string{p.given}}}, "geschlecht": p.sex,
		"birthDate": p.born.Format(time.DateOnly), "alter": age(p.born, now), "akte": digest(p.id)[:24],
		"meta": object{"versionId": fmt.Sprint(p.version),
			"lastUpdated": berlin(p.edited).Format("2006-01-02T15:04:05.000-07:00")},
	}
}

// answer is a patient with the headers of its version.
func (p *patient) answer(status int, now time.Time) answer {
	return resource(status, p.view(now)).With("Etag", fmt.Sprintf(`W/"%d"`, p.version)).With("Last-Modified",
		p.edited.Format(http.TimeFormat))
}

// patientInput is what a patient is made of.
type patientInput struct {
	Family string `json:"nachname"`
	Given  string `json:"vorname"`
	Born   string `json:"geburtsdatum"`
	Sex    string `json:"geschlecht"`
}

// check returns the broken rules.
func (in *patientInput) check() (broken []object) {
	add := func(ok bool, field, message string) {
		if !ok {
			broken = append(broken, object{"feld": field, "meldung": message})
		}
	}
	_, err := time.Parse(germanDate, in.Born)
	add(len(in.Family) >= 1 && len(in.Family) <= 80, "nachname", "muss 1 bis 80 Zeichen haben")
	add(len(in.Given) >= 1 && len(in.Given) <= 80, "vorname", "muss 1 bis 80 Zeichen haben")
	add(err == nil, "geburtsdatum", "muss ein Datum wie 31.12.1999 sein")
	add(slices.Contains([]string{"w", "m", "d"}, in.Sex), "geschlecht", "muss w, m oder d sein")
	return broken
}

// invalid lists broken rules as validators do that keep them in a hash map.
func (a *API) invalid(r *request, broken []object) answer {
	mixed := shuffled(a, broken)
	words := make([]string, len(mixed))
	for i, b := range shuffled(a, broken) {
		words[i] = fmt.Sprint(b["feld"], " ", b["meldung"])
	}
	first := broken[a.rng.IntN(len(broken))]
	return a.problem(r, http.StatusUnprocessableEntity, "regeln", "Die Eingabe verletzt Regeln.", object{
		"fehler": mixed, "anzahl": len(broken), "zusammenfassung": strings.Join(words, "; "),
		"erster": fmt.Sprintf("%v: %v", first["feld"], first["meldung"]),
	})
}

func (a *API) createPatient(r *request) answer {
	in, bad := decode[patientInput](a, r)
	if bad != nil {
		return *bad
	}
	if broken := in.check(); len(broken) > 0 {
		return a.invalid(r, broken)
	}
	if len(a.state.patients) >= maxEntries {
		return a.full(r)
	}
	a.lasting.patients++
	born, _ := time.Parse(germanDate, in.Born)
	p := &patient{
		id: a.uuid7(r.now), number: fmt.Sprintf("P-%d-%06d", r.now.Year(), a.lasting.patients), family: in.Family,
		given: in.Given,
		sex:   in.Sex, born: born, made: r.now, edited: r.now, version: 1,
	}
	a.state.patients[p.id] = p
	a.note(r, "patient.angelegt")
	return p.answer(http.StatusCreated, r.now).With("Location", "/patienten/"+p.id)
}

// patient returns the patient of the path.
func (a *API) patient(r *request) (*patient, *answer) {
	p := a.state.patients[r.params["id"]]
	if p == nil {
		bad := a.missing(r)
		return nil, &bad
	}
	if p.gone {
		bad := a.problem(r, http.StatusGone, "entfernt", "Der Patient wurde entfernt.",
			object{"entfernt_um": p.edited.Format(time.RFC3339Nano), "grund": "GDPR-17"})
		return nil, &bad
	}
	return p, nil
}

func (a *API) getPatient(r *request) answer {
	p, bad := a.patient(r)
	if bad != nil {
		return *bad
	}
	return p.answer(http.StatusOK, r.now)
}

func (a *API) putPatient(r *request) answer {
	p, bad := a.patient(r)
	if bad != nil {
		return *bad
	}
	tag := r.Header.Get("If-Match")
	if tag == "" {
		return a.problem(r, http.StatusPreconditionRequired, "if-match", "If-Match fehlt.")
	}
	if tag != fmt.Sprintf(`W/"%d"`, p.version) || p.seed {
		return a.problem(r, http.StatusPreconditionFailed, "version", "Der Patient hat eine andere Version.")
	}
	in, bad := decode[patientInput](a, r)
	if bad != nil {
		return *bad
	}
	if broken := in.check(); len(broken) > 0 {
		return a.invalid(r, broken)
	}
	p.family, p.given, p.sex, p.edited = in.Family, in.Given, in.Sex, r.now
	p.version++
	a.note(r, "patient.geaendert")
	return p.answer(http.StatusOK, r.now)
}

func (a *API) deletePatient(r *request) answer {
	p, bad := a.patient(r)
	if bad != nil {
		return *bad
	}
	if p.seed {
		return a.problem(r, http.StatusConflict, "stammdaten", "Der Patient gehört zu den Stammdaten.")
	}
	p.gone, p.edited = true, r.now
	return service.Empty(http.StatusNoContent).With("X-Vorgang", a.ulid(r.now))
}

// cursor is where the next page of a search begins, and when the search began.
type cursor struct {
	Offset int   `json:"ab"`
	At     int64 `json:"ts"`
}

// searchPatients searches the patients whom the house begins with, by the first letters of the name, in their order.
func (a *API) searchPatients(r *request) answer {
	c := cursor{At: r.now.UnixMilli()}
	if text := r.query.Get("zeiger"); text != "" {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || json.Unmarshal(raw, &c) != nil || c.Offset < 0 {
			return a.problem(r, http.StatusBadRequest, "zeiger", "Der Zeiger ist keiner von hier.")
		}
	}
	name := r.query.Get("name")
	found := []*patient{}
	for _, p := range a.state.patients {
		if p.seed && strings.HasPrefix(p.family, name) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(x, y *patient) int { return strings.Compare(x.number, y.number) })
	entries := []object{}
	for _, p := range found[min(c.Offset, len(found)):min(c.Offset+2, len(found))] {
		entries = append(entries, object{
			"ressource": object{"id": p.id, "nummer": p.number, "nom": p.family, "ne_le": p.born.Format(germanDate)},
			"adresse":   r.absolute("/patienten/" + p.id), "suche": object{"modus": "match", "guete": a.about(0.97, 0.02, 6)},
		})
	}
	next := base64.RawURLEncoding.EncodeToString(service.Encode(cursor{c.Offset + 2, r.now.UnixMilli()}))
	return resource(http.StatusOK, object{
		"resourceType": "Bundle", "id": a.nanoID(), "type": "searchset", "total": len(found),
		"timestamp": r.now.Format(time.RFC3339Nano),
		"verweise": object{"selbst": r.absolute("/patienten?name=" + name), "weiter": "/patienten?name=" + name +
			"&zeiger=" + next},
		"zeiger": next, "entry": entries, "dauer_us": 300 + a.rng.IntN(9000),
	})
}
