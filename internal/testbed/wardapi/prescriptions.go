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

// prescription is what a doctor has a pharmacy hand out.
type prescription struct {
	number, code string
	items        []item
	at           time.Time
	handed       bool
}

// item is one line of a prescription.
type item struct {
	PZN   string `json:"pzn"`
	Count int    `json:"menge"`
}

func (a *API) prescriptionRoutes() []route {
	return []route{
		service.On("POST", "/rezepte", a.prescribe),
		service.On("GET", "/rezepte/{nr}", a.getPrescription),
		service.On("POST", "/rezepte/{nr}/einloesung", a.handOut),
		service.On("GET", "/apotheke/bestand", a.stock),
	}
}

// authorized reports whether a request bears a ticket of this instance that has not run out.
func (a *API) authorized(r *request) bool {
	ticket, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	parts := strings.Split(ticket, ".")
	if !found || len(parts) != 3 || base64.RawURLEncoding.EncodeToString(a.mac(parts[0]+"."+parts[1])) != parts[2] {
		return false
	}
	var claims struct {
		Until int64 `json:"exp"`
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	return err == nil && json.Unmarshal(raw, &claims) == nil && r.now.Unix() < claims.Until
}

// unknownMember refuses a member that is not known, as mappers do that list the known ones in hash order.
func (a *API) unknownMember(r *request) *answer {
	var raw map[string]json.RawMessage
	if json.Unmarshal(r.body, &raw) != nil {
		return nil
	}
	known, strange := []string{"arzt", "dosierung", "hinweis", "kasse", "positionen"}, []string{}
	for name := range raw {
		if !slices.Contains(known, name) {
			strange = append(strange, name)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	slices.Sort(strange)
	p := a.problem(r, http.StatusBadRequest, "feld",
		fmt.Sprintf("Unrecognized field %.60q (class de.klinik.Rezept), not marked as ignorable (%d known properties: %q)",
			strange[0], len(known), shuffled(a, known)), object{"bekannt": shuffled(a, known), "unbekannt": strange[:1]})
	return &p
}

func (a *API) prescribe(r *request) answer {
	if !a.authorized(r) {
		return a.noSession(r)
	}
	if bad := a.unknownMember(r); bad != nil {
		return *bad
	}
	in, bad := decode[struct {
		Doctor string `json:"arzt"`
		Dosage string `json:"dosierung"`
		Hint   string `json:"hinweis"`
		Fund   string `json:"kasse"`
		Items  []item `json:"positionen"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	broken := []object{}
	if len(in.Items) == 0 || len(in.Items) > 10 {
		broken = append(broken, object{"feld": "positionen", "meldung": "muss 1 bis 10 Elemente haben"})
	}
	if len(in.Doctor) != 9 {
		broken = append(broken, object{"feld": "arzt", "meldung": "muss 9 Zeichen haben"})
	}
	if in.Dosage == "" {
		broken = append(broken, object{"feld": "dosierung", "meldung": "darf nicht leer sein"})
	}
	for i, x := range in.Items[:min(len(in.Items), 10)] {
		if x.Count < 1 || x.Count > 9 || priceOf(x.PZN) == 0 {
			broken = append(broken, object{"feld": fmt.Sprintf("positionen[%d]", i), "meldung": "ist nicht lieferbar"})
		}
	}
	if len(broken) > 0 {
		return a.invalid(r, broken)
	}
	if len(a.state.prescriptions) >= maxEntries {
		return a.full(r)
	}
	a.lasting.prescriptions++
	n := a.lasting.prescriptions
	x := &prescription{number: fmt.Sprintf("160.000.%03d.%03d.%02d", n/1000%1000, n%1000, 97-n%97), code: a.hex(32),
		items: in.Items, at: r.now}
	a.state.prescriptions[x.number] = x
	a.note(r, "rezept")
	return x.answer(a, r, http.StatusCreated).With("Location", "/rezepte/"+x.number)
}

// priceOf returns the net price of a medicine in cents, 0 where the house does not have it.
func priceOf(pzn string) int {
	for _, d := range drugs() {
		if d.pzn == pzn {
			return d.net
		}
	}
	return 0
}

// answer is the prescription with its sums. Its tag is the time of its making.
func (x *prescription) answer(a *API, r *request, status int) answer {
	lines, net := []object{}, 0
	for _, i := range x.items {
		sum := i.Count * priceOf(i.PZN)
		net += sum
		lines = append(lines, object{"pzn": i.PZN, "menge": i.Count, "einzelpreis": cents(priceOf(i.PZN)),
			"summe": cents(sum)})
	}
	vat := (net*19 + 50) / 100
	qr := base64.StdEncoding.EncodeToString(service.Encode(object{"typ": "E-Rezept", "code": x.code}))
	return service.Reply(status, object{
		"rezept_nr": x.number, "zugriffscode": x.code, "ausgestellt_am": x.at.Format(germanDate),
		"gueltig_bis": x.at.AddDate(0, 0, 28).Format(time.DateOnly),
		"positionen":  lines, "netto": cents(net), "mwst": cents(vat), "brutto": cents(net + vat),
		"eingeloest": x.handed, "qr": qr,
		"signatur":          a.token(object{"rezept": x.number, "iat": r.now.Unix(), "nonce": a.hex(8)}),
		"ausgestellt_epoch": epochText(x.at),
		"vorlage":           "KBV_PR_ERP_Bundle|1.1.0", "formular": 16,
	}).With("Etag", fmt.Sprintf(`W/"%x"`, x.at.UnixMicro()))
}

func (a *API) getPrescription(r *request) answer {
	if !a.authorized(r) {
		return a.noSession(r)
	}
	x := a.state.prescriptions[r.params["nr"]]
	if x == nil {
		return a.missing(r)
	}
	return x.answer(a, r, http.StatusOK)
}

func (a *API) handOut(r *request) answer {
	x := a.state.prescriptions[r.params["nr"]]
	if x == nil {
		return a.missing(r)
	}
	if r.query.Get("code") != x.code {
		return a.problem(r, http.StatusForbidden, "code", "Der Zugriffscode ist falsch.")
	}
	if x.handed {
		return a.problem(r, http.StatusConflict, "eingeloest", "Das Rezept ist schon eingelöst.")
	}
	x.handed = true
	return service.Reply(http.StatusOK, object{
		"quittung": a.uuid4(), "eingeloest_ms": fmt.Sprint(r.now.UnixMilli()), "apotheke": "Apotheke am Markt",
		"apo_ik": "308412345",
		"beleg":  "B-" + a.draw(4, "ACDEFHKLMNPRTUVWXY") + "-" + a.draw(4, "0123456789"), "positionen": len(x.items),
		"bon_hash": digest(x.number + x.code),
	})
}

// stock is out of order rarely: then it answers 503.
func (a *API) stock(r *request) answer {
	a.state.allowance++
	if a.rarely() {
		return a.problem(r, http.StatusServiceUnavailable, "wartung", "Der Automat wird beschickt.").With("Retry-After", "30")
	}
	shelves := map[string]object{}
	for i, d := range drugs() {
		shelves[d.pzn] = object{"fach": fmt.Sprintf("R%d-%02d", i+1, 7*i+3), "bestand": 12 * (i + 1),
			"temperatur": a.about(19, 0.8, 1)}
	}
	return service.Reply(http.StatusOK, object{
		"faecher": shelves, "automat": "ROWA-0x1F2E", "greifer": a.greifer(), "naechste_lieferung": r.now.AddDate(0, 0,
			1).Format(time.DateOnly),
	}).With("X-Ratelimit-Limit", "600").With("X-Ratelimit-Remaining", fmt.Sprint(max(0, 600-a.state.allowance))).
		With("X-Ratelimit-Reset", epochText(r.now.Add(time.Minute))).With("Server-Timing",
		fmt.Sprintf("db;dur=%.2f", 2+10*a.rng.Float64()))
}

// greifer says what each hand of the automaton does: a map whose keys are made up each time.
func (a *API) greifer() object {
	hands := object{}
	for _, what := range []string{"greift", "ruht"} {
		hands[a.nanoID()] = object{"tut": what, "achse": "XYZ"}
	}
	return hands
}
