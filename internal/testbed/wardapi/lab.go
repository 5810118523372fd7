package wardapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// sample is what was taken from a patient and sent to the laboratory.
type sample struct {
	id, barcode string
	tests       []string
	at          time.Time
	life        time.Duration
	study       int // the number of its finding
}

// analysis is what the laboratory can measure: the code, the unit, and what is measured.
type analysis struct {
	code, name, unit string
	value, noise     float64
	low, high        float64
}

func analyses() map[string]analysis {
	return map[string]analysis{
		"HB":  {"718-7", "Hämoglobin", "g/dL", 13.9, 0.35, 11.5, 16.0},
		"NA":  {"2951-2", "Natrium", "mmol/L", 140.2, 1.7, 135, 145},
		"CRP": {"1988-5", "CRP", "mg/L", 3.1, 0.9, 0, 5},
	}
}

func (a *API) labRoutes() []route {
	return []route{
		service.On("POST", "/proben", a.takeSample),
		service.On("GET", "/proben/{id}", a.getSample),
		service.On("GET", "/proben/{id}/befund", a.finding),
		service.On("GET", "/labor/kontrolle", a.control),
	}
}

func (a *API) takeSample(r *request) answer {
	in, bad := decode[struct {
		Material string   `json:"material"`
		Tests    []string `json:"analysen"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	known := analyses()
	broken := []object{}
	for i, t := range in.Tests {
		if _, ok := known[t]; !ok && i < 20 {
			broken = append(broken, object{"feld": fmt.Sprintf("analysen[%d]", i), "meldung": "ist unbekannt"})
		}
	}
	if len(in.Tests) == 0 || len(in.Tests) > 20 {
		broken = append(broken, object{"feld": "analysen", "meldung": "muss 1 bis 20 Elemente haben"})
	}
	if in.Material == "" || len(in.Material) > 40 {
		broken = append(broken, object{"feld": "material", "meldung": "muss 1 bis 40 Zeichen haben"})
	}
	if len(broken) > 0 {
		return a.invalid(r, broken)
	}
	if len(a.state.samples) >= maxEntries {
		return a.full(r)
	}
	a.lasting.samples++
	a.state.measured += len(in.Tests)
	s := &sample{id: a.ulid(r.now), barcode: withCheckDigit(a.lasting.samples), tests: in.Tests, at: r.now,
		life: a.dials.labTime(), study: a.lasting.samples}
	a.state.samples[s.id] = s
	a.note(r, "probe")
	return service.Reply(http.StatusCreated, object{
		"probe_id": s.id, "barcode": s.barcode, "entnommen": hl7(r.now), "material": in.Material, "analysen": in.Tests,
		"temperatur_c": a.about(4, 0.3, 2), "prioritaet": "ROUTINE", "etikett": "^XA^FO20,20^BY2^BCN,80^FD" +
			s.barcode + "^FS^XZ",
		"stabil_bis": r.now.Add(8 * time.Hour).Format("2006-01-02 15:04:05Z"), "haltbar": "PT8H", "roehrchen": "#ff69b4",
		"loinc_version": "2.77",
	}).With("Location", "/proben/"+s.id)
}

// getSample reads a sample from one of the replicas. One of them lags behind, and does not know the sample yet.
func (a *API) getSample(r *request) answer {
	s := a.state.samples[r.params["id"]]
	if s == nil {
		return a.missing(r)
	}
	if a.happens(service.Chance(a.dials.LagChance, 1.0/4)) {
		return service.Reply(http.StatusAccepted, object{"status": "noch nicht bekannt", "erneut_nach": "PT1S",
			"replikat": "b"}).
			With("Retry-After", "1")
	}
	return service.Reply(http.StatusOK, object{
		"probe_id": s.id, "status": "eingegangen", "analysen": s.tests, "replikat": "a", "entnommen": hl7(s.at),
		"barcode":    s.barcode,
		"kuehlkette": "2-8 °C", "labor": object{"gln": "4012345000023", "raum": "U1.12"},
	})
}

// finding is what the laboratory found: values with the noise of measuring, preliminary until it has taken its time.
func (a *API) finding(r *request) answer {
	s := a.state.samples[r.params["id"]]
	if s == nil {
		return a.missing(r)
	}
	results, sum := []object{}, 0.0
	for _, t := range s.tests {
		x := analyses()[t]
		v := a.about(x.value, x.noise, 3)
		sum += v
		results = append(results, object{
			"code": object{"coding": []object{{"system": "http://loinc.org", "code": x.code, "display": x.name}}},
			"wert": object{"value": v, "unit": x.unit}, "referenz": object{"low": x.low, "high": x.high}, "interpretation": "N",
		})
	}
	status := "preliminary"
	if r.now.Sub(s.at) >= s.life {
		status = "final"
	}
	ans := resource(http.StatusOK, object{
		"resourceType": "DiagnosticReport", "status": status, "result": results, "summe": round(sum, 3),
		"mittel":            sum / float64(len(results)),
		"effectiveDateTime": s.at.Format(time.RFC3339), "issued": r.now.Format("2006-01-02T15:04:05.000Z"),
		"identifier": []object{{"system": "urn:oid:1.2.276.0.76.3.1.1", "value": fmt.Sprint(s.study)}},
		"methode":    "photometrisch", "geraet": "SN-00A1F3", "validiert_von": "0x7f3a91c0", "nachweisgrenze": 1e-3,
	})
	return ans.With("Etag", `"`+digest(string(ans.Body))[:32]+`"`).With("Digest", "SHA-256="+digest(string(ans.Body)))
}

// control is the laboratory's control of itself, which rarely finds anything.
func (a *API) control(r *request) answer {
	light, note, lot := "gruen", any(nil), "LOT-20250714-A"
	if a.rarely() {
		light, note = "gelb", "Drift an Kanal 3"
	}
	channels := shuffled(a, []string{"K1", "K2", "K3", "K4", "K5"})
	v := object{
		"ampel": light, "bemerkung": note, "charge": lot, "kanaele": channels, "kanal_text": strings.Join(channels, "/"),
		"sollwert": 100.0, "istwert": 100 + a.about(0, 1e-9, 14), "norm": "ISO 15189:2022", "westgard": []string{"1-2s",
			"1-3s", "2-2s"},
	}
	if a.happens(0.3) {
		v["hinweis"] = "Spiegel geputzt"
	}
	return service.Reply(http.StatusOK, v)
}
