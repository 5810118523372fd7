package wardapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// ward is a ward of the house.
type ward struct {
	key, uuid, name, colour, gln, phone, opened, renewed string
	floor, beds                                          int
	loads                                                []float64 // what parts of the ward are in use, of 1
}

func wards() []ward {
	return []ward{
		{"ITS-1", "9f8b2a54-6f1e-5d3c-8a77-1f2e3d4c5b6a", "Intensiv 1", "#a3c1ad", "4012345000009", "+49 30 4505 1234",
			"01.04.1998", "2014-W37", 3, 6, []float64{0.1, 0.2, 0.3, 1e-3, 0.7, 1.0 / 3}},
		{"KIN-2", "0c9d7e11-22ab-5e4f-9b88-aa55cc33dd11", "Kinderstation", "#facade", "4012345000016", "+49 30 4505 4321",
			"15.09.2003", "2021-W02", 5, 8, []float64{0.9, 0.15, 1.0 / 7, 2e-3, 0.6}},
	}
}

func (w *ward) view() object {
	return object{
		"kuerzel": w.key, "uuid": w.uuid, "bezeichnung": w.name, "farbe": w.colour, "gln": w.gln, "telefon": w.phone,
		"eroeffnet_am": w.opened, "renoviert": w.renewed, "ebene": w.floor, "betten": w.beds,
	}
}

// findWard returns a ward by its key, nil where there is none.
func findWard(key string) *ward {
	for _, w := range wards() {
		if w.key == key {
			return &w
		}
	}
	return nil
}

func (a *API) wardRoutes() []route {
	return []route{
		service.On("GET", "/stationen", a.listWards),
		service.On("OPTIONS", "/stationen", func(*request) answer {
			return service.Empty(http.StatusNoContent).With("Allow",
				strings.Join(shuffled(a, []string{"GET", "HEAD", "OPTIONS", "REPORT"}), ", "))
		}),
		service.On("GET", "/stationen/{kuerzel}", a.getWard),
		service.On("GET", "/stationen/{kuerzel}/betten", a.listBeds),
		service.On("GET", "/stationen/{kuerzel}/dienstplan", a.roster),
		service.On("GET", "/stationen/{kuerzel}/lage", a.wardNow),
	}
}

func (a *API) listWards(*request) answer {
	views := []object{}
	for _, w := range wards() {
		views = append(views, w.view())
	}
	ans := service.Reply(http.StatusOK, views)
	return ans.With("Etag", `"`+digest(string(ans.Body))+`"`).With("Last-Modified", mastersEdited).With("Vary",
		"Accept, Accept-Encoding")
}

// getWard shows a ward. Its tag is that of the master data, so that what is computed beside them does not change it.
func (a *API) getWard(r *request) answer {
	w := findWard(r.params["kuerzel"])
	if w == nil {
		return a.missing(r)
	}
	etag := fmt.Sprintf(`W/"%s-v7"`, strings.ToLower(w.key))
	if r.Header.Get("If-None-Match") == etag {
		return service.Empty(http.StatusNotModified).With("Etag", etag).With("Last-Modified", mastersEdited)
	}
	v := w.view()
	v["dienst"], v["begruessung"] = shift(r.now)
	v["heute"], v["kalenderwoche"] = r.now.Format(germanDate), isoWeek(r.now)
	v["lien"] = object{"soi": r.absolute("/stationen/" + w.key), "lits": "/stationen/" + w.key + "/betten"}
	return service.Reply(http.StatusOK, v).With("Etag", etag).With("Last-Modified", mastersEdited)
}

// wardNow says how the ward fares. The share in use is added up in the order of a hash map: its last digits follow
// the order.
func (a *API) wardNow(r *request) answer {
	w := findWard(r.params["kuerzel"])
	if w == nil {
		return a.missing(r)
	}
	sum := 0.0
	for _, x := range shuffled(a, w.loads) {
		sum += x
	}
	return service.Reply(http.StatusOK, object{
		"kuerzel": w.key, "auslastung": sum / float64(len(w.loads)), "teile": w.loads,
		"personalschluessel": 0.30000000000000004,
		"stand":              epochText(r.now), "stand_hex": fmt.Sprintf("%x", r.now.UnixMilli()),
		"temperatur_c": a.about(21.5, 0.4, 2),
		"luftdruck":    fmt.Sprintf("%d hPa", 1005+a.rng.IntN(20)), "alarm": a.alarm(), "alarmstufe": "0",
		"messintervall": "PT15M",
	})
}

// alarm is "keiner", and rarely not.
func (a *API) alarm() string {
	if a.rarely() {
		return "Probealarm"
	}
	return "keiner"
}

// listBeds lists the beds in the order of a hash map. Patients of an earlier client lie in some of them.
func (a *API) listBeds(r *request) answer {
	w := findWard(r.params["kuerzel"])
	if w == nil {
		return a.missing(r)
	}
	beds, taken := []object{}, 0
	for i := range w.beds {
		key := fmt.Sprintf("%s/%02d", w.key, i+1)
		if _, there := a.state.beds[key]; there {
			taken++
		}
		beds = append(beds, object{
			"bett": key, "geraet": object{"ip": fmt.Sprintf("10.20.%d.%d", w.floor, 11+i),
				"udi": fmt.Sprintf("(01)04012345678901(21)A7F%d", i)},
			"gereinigt": fmt.Sprintf("2026-02-%02dT06:30:00+01:00", 1+i), "typ": "Standard",
		})
	}
	return service.Reply(http.StatusOK, object{
		"betten": shuffled(a, beds), "anzahl": len(beds), "belegt": taken, "frei": len(beds) - taken,
		"abgerufen": epochText(r.now), "verantwortlich": []string{"Huß", "Ångström", "de la Croix"},
	})
}

// roster is the ward's plan: some lists in the order that matters, some in none.
func (a *API) roster(r *request) answer {
	w := findWard(r.params["kuerzel"])
	if w == nil {
		return a.missing(r)
	}
	settings := string(service.Encode(object{"pausen": 2, "farben": []string{"rot", "blau"}}))
	return service.Reply(http.StatusOK, object{
		"schichten": []object{{"name": "Früh", "von": "06:00", "bis": "14:00"},
			{"name": "Spät", "von": "14:00", "bis": "22:00"}, {"name": "Nacht", "von": "22:00", "bis": "06:00"}},
		"bereitschaft": shuffled(a, []string{"Huß", "Nguyễn", "O'Hara", "Özdemir", "Weiß", "Zoë"}),
		"rufnummern":   map[string]string{"80276881040001": "4711", "80276881040002": "4712"},
		"zustaendig": shuffled(a, []object{{"fach": "Chirurgie", "arzt": "80276881040001"},
			{"fach": "Innere", "arzt": "80276881040002"}, {"fach": "Radiologie", "arzt": "80276881040003"},
			{"fach": "Labor", "arzt": "80276881040004"}, {"fach": "Apotheke", "arzt": "80276881040005"}}),
		"einstellungen":  settings,
		"umschlag":       string(service.Encode(object{"art": "plan", "nonce": a.hex(8)})),
		"qualifikation":  strings.Join(shuffled(a, []string{"ACLS", "BLS", "ICU", "PALS", "ATLS", "NRP"}), ","),
		"matrix":         [][]int{{1, 0, 1}, {0, 1, 1}},
		"leer":           []int{},
		"vertretung":     a.standIn(),
		"losverfahren":   []int{a.rng.IntN(1000), a.rng.IntN(1000), a.rng.IntN(1000)},
		"ausfall":        shuffled(a, []string{"Müller", "Schmidt", "Weber", "Wolf"})[:1+a.rng.IntN(4)],
		"gueltig_ab":     "2026-06-01",
		"unterschrieben": "2026-05-28T16:45:12.884+02:00",
	})
}

// standIn is who stands in: often nobody.
func (a *API) standIn() any {
	if a.happens(0.4) {
		return nil
	}
	return "Dr. Weiß"
}
