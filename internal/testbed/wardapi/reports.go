package wardapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// reportNumber is the report that the house begins with.
const reportNumber = "R-0001"

// job is a report that is being printed.
type job struct {
	id   string
	at   time.Time
	life time.Duration
}

func (a *API) reportRoutes() []route {
	return []route{
		service.On("GET", "/berichte/{nr}/cda", a.cda),
		service.On("GET", "/berichte/{nr}/html", a.page),
		service.On("GET", "/berichte/{nr}/csv", a.sheet),
		service.On("GET", "/berichte/{nr}/pdf", a.pdf),
		service.On("GET", "/berichte/{nr}/vorlage", a.template),
		service.On("POST", "/berichte", a.print),
		service.On("GET", "/auftraege/{id}", a.getJob),
		service.On("GET", "/umleitung/{ziel}", a.redirect),
	}
}

// report answers with what make makes, for the report that there is.
func (a *API) report(r *request, make func() answer) answer {
	if r.params["nr"] != reportNumber {
		return a.missing(r)
	}
	return make()
}

// cda is the report as a clinical document: only its time moves.
func (a *API) cda(r *request) answer {
	return a.report(r, func() answer {
		return service.Typed(http.StatusOK, "application/xml; charset=utf-8",
			fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<ClinicalDocument xmlns="urn:hl7-org:v3">
  <typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>
  <id root="1.2.276.0.76.4.17.4" extension="R-0001"/>
  <effectiveTime value="%s"/>
  <recordTarget><patient><name><family>Müller</family></name><birthTime value="19380308"/></patient></recordTarget>
</ClinicalDocument>
`, hl7(r.now)))
	})
}

// page is the report as a page: a nonce allows its one script.
func (a *API) page(r *request) answer {
	return a.report(r, func() answer {
		nonce := a.draw(22, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/") + "=="
		return service.Typed(http.StatusOK, "text/html; charset=utf-8",
			fmt.Appendf(nil, "<!doctype html>\n<html lang=\"de\"><title>R-0001</title><body style=\"color:#decade\">"+
				"<h1>Bericht R-0001 vom 03.02.2025</h1><script nonce=%q>document.title+=' *'</script></body></html>\n", nonce)).
			With("Content-Security-Policy", "default-src 'self'; script-src 'nonce-"+nonce+"'").With("Strict-Transport-Security",
			"max-age=63072000")
	})
}

func (a *API) sheet(r *request) answer {
	return a.report(r, func() answer {
		return service.Typed(http.StatusOK, "text/csv; charset=utf-8",
			[]byte("datum;code;wert\r\n03.02.2025;718-7;13,9\r\n03.02.2025;2951-2;140\r\n")).
			With("Content-Disposition", `attachment; filename="bericht-`+r.now.Format("20060102-150405.000")+
				`.csv"`).With("X-Zeilen", "2")
	})
}

// pdf is the report as a file whose head tells when it was made.
func (a *API) pdf(r *request) answer {
	return a.report(r, func() answer {
		return service.Typed(http.StatusOK, "application/pdf",
			fmt.Appendf(nil, "%%PDF-1.7\n%%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Producer (Klinik 7.3.1) /CreationDate (D:%s+00'00') >>\nendobj\n%%%%EOF\n", hl7(r.now)))
	})
}

// template is a form with the picture of a stamp: bytes that never change.
func (a *API) template(r *request) answer {
	return a.report(r, func() answer {
		return service.Typed(http.StatusOK, "image/png",
			[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x1f\x15\xc4\x89")).
			With("Last-Modified", mastersEdited).With("Etag", `"89504e47-0d0a1a0a"`).With("Content-Md5",
			"XrY7u+Ae7tCTyyK7j1rNww==")
	})
}

func (a *API) print(r *request) answer {
	in, bad := decode[struct {
		Report string   `json:"bericht"`
		Copies int      `json:"kopien"`
		Tags   []string `json:"etiketten"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Report != reportNumber {
		return a.missing(r)
	}
	if len(a.state.jobs) >= maxEntries {
		return a.full(r)
	}
	j := &job{a.nanoID(), r.now, a.dials.labTime()}
	a.state.jobs[j.id] = j
	return service.Reply(http.StatusAccepted, object{
		"auftrag": j.id, "kopien": in.Copies, "etiketten": append([]string{}, in.Tags...), "abruf": "/auftraege/" + j.id,
		"fertig_um": r.now.Add(j.life).Format(time.StampMilli), "drucker": "LP-0x3F@etage3", "los": a.rng.Uint64N(1 << 40),
		"seiten": 4 * in.Copies,
	}).With("Location", "/auftraege/"+j.id).With("Retry-After", "1")
}

// getJob tells how far the printing is, by the clock.
func (a *API) getJob(r *request) answer {
	j := a.state.jobs[r.params["id"]]
	if j == nil {
		return a.missing(r)
	}
	done := min(1, r.now.Sub(j.at).Seconds()/max(j.life.Seconds(), 1e-9))
	steps := []object{{"schritt": "gesetzt"}}
	status := "laeuft"
	if done >= 0.5 {
		steps = append(steps, object{"schritt": "gedruckt"})
	}
	if done >= 1 {
		status, steps = "fertig", append(steps, object{"schritt": "geheftet"})
	}
	return service.Reply(http.StatusOK, object{
		"auftrag": j.id, "status": status, "fortschritt": round(100*done, 1), "schritte": steps,
		"gestartet": j.at.Format("15:04:05.000"),
		"drucker":   "LP-0x3F@etage3", "anzahl_schritte": 3,
	})
}

func (a *API) redirect(r *request) answer {
	switch r.params["ziel"] {
	case "station":
		return service.Empty(http.StatusFound).With("Location", r.absolute("/stationen/ITS-1"))
	case "sso":
		return service.Empty(http.StatusSeeOther).With("Location", "https://sso.klinik.example/auth?client_id=station&state="+
			strings.ToLower(a.draw(26, crockford)))
	}
	return a.missing(r)
}
