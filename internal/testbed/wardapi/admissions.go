package wardapi

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// admission is a patient's stay.
type admission struct {
	number, patient, ward, bed, file string
	at, left                         time.Time
	events                           []object
}

// admit puts an admission into the store: it gets the next number and the first bed that is free, if any.
func (s *state) admit(x *admission) bool {
	w := findWard(x.ward)
	for i := range w.beds {
		key := fmt.Sprintf("%s/%02d", w.key, i+1)
		if _, taken := s.beds[key]; !taken {
			s.cases++
			x.number, x.bed = fmt.Sprintf("A-2026-%06d", s.cases), key
			s.beds[key] = x.number
			s.admissions[x.number] = x
			s.admitted = append(s.admitted, x)
			return true
		}
	}
	return false
}

// happened adds to the stay's course.
func (x *admission) happened(now time.Time, what string) {
	x.events = append(x.events, object{"zeit": berlin(now).Format("2006-01-02T15:04:05.000000-07:00"), "ereignis": what})
}

func (a *API) admissionRoutes() []route {
	return []route{
		service.On("POST", "/aufnahmen", a.createAdmission),
		service.On("GET", "/aufnahmen", a.listAdmissions),
		service.On("GET", "/aufnahmen/{fall}", a.getAdmission),
		service.On("POST", "/aufnahmen/{fall}/verlegung", a.transfer),
		service.On("POST", "/aufnahmen/{fall}/entlassung", a.discharge),
	}
}

func (a *API) createAdmission(r *request) answer {
	in, bad := decode[struct {
		Patient string `json:"patient"`
		Ward    string `json:"station"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	p := a.state.patients[in.Patient]
	if p == nil || p.gone || findWard(in.Ward) == nil {
		return a.missing(r)
	}
	if len(a.state.admitted) >= maxEntries {
		return a.full(r)
	}
	x := &admission{patient: p.id, ward: in.Ward, at: r.now}
	if !a.state.admit(x) {
		return a.problem(r, http.StatusConflict, "belegt", "Kein Bett ist frei.")
	}
	a.lasting.files++
	x.file = fmt.Sprintf("KH/26/%06d", a.lasting.files)
	x.happened(r.now, "aufnahme")
	a.note(r, "aufnahme")
	secret := a.draw(6, "0123456789")
	return service.Reply(http.StatusCreated, object{
		"fall": x.number, "aktenzeichen": x.file, "bett": x.bed, "patient": p.id,
		"aufgenommen_um":      berlin(r.now).Format("2006-01-02T15:04:05.000000-07:00"),
		"voraussichtlich_bis": r.now.AddDate(0, 0, 5).Format(germanDate), "verweildauer": "P5D", "armband": uuid1(r.now),
		"schluessel":  a.ulid(r.now),
		"begleitcode": secret, "unterschrift": hex.EncodeToString(a.mac(x.number + secret + a.hex(4))), "station": in.Ward,
		"drg": "G67B",
	}).With("Location", "/aufnahmen/"+x.number).With("X-Anfrage-Id", a.uuid4())
}

// admission returns the stay of the path.
func (a *API) admission(r *request) (*admission, *answer) {
	x := a.state.admissions[r.params["fall"]]
	if x == nil {
		bad := a.missing(r)
		return nil, &bad
	}
	return x, nil
}

func (a *API) getAdmission(r *request) answer {
	x, bad := a.admission(r)
	if bad != nil {
		return *bad
	}
	state, end := "aktiv", r.now
	if !x.left.IsZero() {
		state, end = "entlassen", x.left
	}
	return service.Reply(http.StatusOK, object{
		"fall": x.number, "status": state, "dauer": isoDuration(end.Sub(x.at)), "verlauf": x.events, "station": x.ward,
		"schritte": len(x.events), "bett": x.bed, "kostentraeger": "109500969", "gelesen": r.now.Format(time.ANSIC),
	}).With("Last-Modified", x.at.Format(http.TimeFormat))
}

// listAdmissions lists who is in the house: those whom an earlier client admitted too.
func (a *API) listAdmissions(*request) answer {
	list := []object{}
	for _, x := range a.state.admitted {
		if x.left.IsZero() && len(list) < 50 {
			list = append(list, object{"fall": x.number, "bett": x.bed, "station": x.ward})
		}
	}
	return service.Reply(http.StatusOK, object{"aufnahmen": list, "anzahl": len(list), "letzter_fall": a.state.cases,
		"haus": "Klinik Nord"})
}

func (a *API) transfer(r *request) answer {
	x, bad := a.admission(r)
	if bad != nil {
		return *bad
	}
	in, bad := decode[struct {
		Ward string `json:"station"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if findWard(in.Ward) == nil {
		return a.missing(r)
	}
	from := x.bed
	if !x.left.IsZero() || in.Ward == x.ward || len(x.events) > 50 {
		return a.problem(r, http.StatusConflict, "verlegung", "Der Patient kann nicht verlegt werden.")
	}
	delete(a.state.beds, x.bed)
	x.ward = in.Ward
	for i := range findWard(in.Ward).beds {
		key := fmt.Sprintf("%s/%02d", in.Ward, i+1)
		if _, taken := a.state.beds[key]; !taken {
			x.bed = key
			break
		}
	}
	a.state.beds[x.bed] = x.number
	x.happened(r.now, "verlegung")
	return service.Reply(http.StatusOK, object{
		"von": from, "nach": x.bed, "station": x.ward,
		"transport": object{"auftrag": a.nanoID(), "ankunft_min": 5 + a.rng.IntN(11), "weg": []string{"Aufzug B", "Gang 3"}},
	})
}

// discharge ends a stay. The letter's address is signed, and ends its validity.
func (a *API) discharge(r *request) answer {
	x, bad := a.admission(r)
	if bad != nil {
		return *bad
	}
	if !x.left.IsZero() {
		return a.problem(r, http.StatusConflict, "entlassen", "Der Patient ist schon entlassen.")
	}
	x.left = r.now
	delete(a.state.beds, x.bed)
	x.happened(r.now, "entlassung")
	a.note(r, "entlassung")
	link := "/berichte/R-0001/html?sig=" + hex.EncodeToString(a.mac(x.number+a.hex(8)))
	return service.Reply(http.StatusOK, object{
		"entlassen_um": berlin(r.now).Format("02.01.2006 15:04:05.000"), "dauer": isoDuration(x.left.Sub(x.at)),
		"arztbrief":        link,
		"tage_abgerechnet": 1, "pauschale": object{"netto": "412.00", "mwst": "78.28", "brutto": "490.28"},
		"status":    "entlassen",
		"pruefwert": a.mac(x.number + a.hex(8)),
	})
}
