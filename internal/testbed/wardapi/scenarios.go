package wardapi

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// scenarios lists what Drive does in each round, in order.
func scenarios() []service.Scenario {
	return []service.Scenario{
		{Name: "dienst", Play: work},
		{Name: "stammdaten", Play: lookUp},
		{Name: "station", Play: walk},
		{Name: "patient", Play: register},
		{Name: "aufenthalt", Play: stay},
		{Name: "sprechstunde", Play: arrange},
		{Name: "labor", Play: analyse},
		{Name: "geraete", Play: measure},
		{Name: "rezept", Play: heal},
		{Name: "nachricht", Play: tell},
		{Name: "bericht", Play: report},
		{Name: "statistik", Play: count},
		{Name: "system", Play: operate},
		{Name: "protokoll", Play: audit},
		{Name: "abweisung", Play: stumble},
	}
}

const nurseLogin = `{"kennung":"` + nurse + `","passwort":"` + nursePassword + `"}`

func work(d *service.Client) {
	d.Post("/anmeldung", `{"kennung":"schwester.agnes","passwort":"geraten"}`)
	cookie := d.Post("/anmeldung", nurseLogin).Cookie()
	d.Get("/sitzung")
	d.Get("/sitzung", "Cookie", cookie)
	d.Send("PATCH", "/sitzung", "", "Cookie", cookie)
	d.Get("/sitzung", "Cookie", cookie)
	d.Send("DELETE", "/sitzung", "", "Cookie", cookie)
	d.Get("/sitzung", "Cookie", cookie)
}

func lookUp(d *service.Client) {
	for _, pzn := range []string{"04356248", "01126111", "07244313"} {
		etag := d.Get("/medikamente/" + pzn).ETag()
		d.Get("/medikamente/"+pzn, "If-None-Match", etag)
	}
	for _, path := range []string{"/medikamente/99999999", "/versicherte/A123456780", "/versicherte/B987654321",
		"/versicherte/C000000000",
		"/codes/geraete", "/codes/zeiten", "/codes/farben", "/export/medikamente", "/export/versicherte"} {
		d.Get(path)
	}
}

func walk(d *service.Client) {
	d.Get("/stationen")
	d.Send("OPTIONS", "/stationen", "")
	for _, key := range []string{"ITS-1", "KIN-2"} {
		etag := d.Get("/stationen/" + key).ETag()
		d.Get("/stationen/"+key, "If-None-Match", etag)
		d.Get("/stationen/" + key + "/betten")
		d.Get("/stationen/" + key + "/lage")
		d.Get("/stationen/" + key + "/dienstplan")
	}
	d.Get("/stationen/ITS-1/lage")
	d.Get("/stationen/CHI-9")
	d.Get("/stationen/CHI-9/betten")
}

func newPatient(d *service.Client) *service.Received {
	return d.Post("/patienten", fmt.Sprintf(
		`{"nachname":"Probst","vorname":"Gast %d","geburtsdatum":"17.05.1990","geschlecht":"d"}`, d.Round))
}

func register(d *service.Client) {
	p := newPatient(d)
	path := "/patienten/" + p.Value("id")
	d.Get(path)
	d.Send("PUT", path, `{"nachname":"Probst-Huß","vorname":"Gast","geburtsdatum":"17.05.1990","geschlecht":"d"}`,
		"If-Match", p.ETag())
	d.Send("PUT", path, `{"nachname":"Probst","vorname":"Gast","geburtsdatum":"17.05.1990","geschlecht":"d"}`,
		"If-Match", p.ETag())
	d.Send("PUT", path, `{"nachname":"Probst"}`)
	d.Get(path)
	d.Post("/patienten", `{"nachname":"","vorname":"","geburtsdatum":"gestern","geschlecht":"x"}`)
	d.Get("/patienten/" + seedPatientID)
	d.Send("DELETE", "/patienten/"+seedPatientID, "")
	d.Send("DELETE", path, "")
	d.Get(path)
	d.Get("/patienten/00000000-0000-0000-0000-000000000000")
	next := d.Get("/patienten?name=M%C3%BC").Value("zeiger")
	d.Get("/patienten?name=M%C3%BC&zeiger=" + next)
	d.Get("/patienten?name=M%C3%BC&zeiger=%21")
}

func stay(d *service.Client) {
	patient := newPatient(d).Value("id")
	path := "/aufnahmen/" + d.Post("/aufnahmen", `{"patient":"`+patient+`","station":"ITS-1"}`).Value("fall")
	d.Get(path)
	d.Get("/aufnahmen")
	d.Get("/stationen/ITS-1/betten")
	d.Sleep(30 * time.Millisecond)
	d.Post(path+"/verlegung", `{"station":"KIN-2"}`)
	d.Post(path+"/verlegung", `{"station":"KIN-2"}`)
	d.Get(path)
	d.Post(path+"/entlassung", "")
	d.Post(path+"/entlassung", "")
	d.Get(path)
	d.Get("/aufnahmen")
	d.Get("/aufnahmen/A-2026-999999")
	d.Post("/aufnahmen", `{"patient":"nobody","station":"ITS-1"}`)
}

func arrange(d *service.Client) {
	in := d.Post("/anmeldung", nurseLogin)
	d.Headers = []string{"Cookie", in.Cookie(), "X-CSRF-Token", in.Value("csrf")}
	d.Get("/sprechstunde")
	path := "/termine/" + d.Post("/termine", `{"von":"08:40"}`).Value("termin")
	d.Get(path)
	d.Post("/termine", `{"von":"23:40"}`)
	d.Post("/termine", `{"von":"08:40"}`, "X-CSRF-Token", "erraten")
	d.Send("DELETE", path, "")
	d.Get(path)
}

func analyse(d *service.Client) {
	s := d.Post("/proben", `{"material":"EDTA-Blut","analysen":["NA","HB","CRP"]}`)
	path := "/proben/" + s.Value("probe_id")
	for range 8 {
		d.Get(path)
	}
	d.Get(path + "/befund")
	d.Sleep(200 * time.Millisecond)
	d.Get(path + "/befund")
	d.Get("/proben/01ARZ3NDEKTSV4RRFFQ69G5FAV")
	d.Post("/proben", `{"material":"","analysen":["XX","YY"]}`)
	for range 3 {
		d.Get("/labor/kontrolle")
	}
}

func measure(d *service.Client) {
	d.Get("/laborgeraete")
	d.Get("/vitalwerte/M-11")
	d.Get("/vitalwerte/M-12")
	d.Get("/vitalwerte/M-99")
}

func heal(d *service.Client) {
	ticket := d.Post("/anmeldung", nurseLogin).Value("ticket")
	d.Post("/rezepte", `{"arzt":"123456789"}`)
	d.Headers = []string{"Authorization", "Bearer " + ticket}
	x := d.Post("/rezepte", `{"arzt":"123456789","dosierung":"1-0-1","positionen":[{"pzn":"04356248","menge":2},{"pzn":"07244313","menge":1}]}`)
	path := "/rezepte/" + x.Value("rezept_nr")
	d.Get(path)
	d.Post("/rezepte", `{"arzt":"123456789","dosis":"1-0-1"}`)
	d.Post("/rezepte", `{"arzt":"12","dosierung":"","positionen":[{"pzn":"1","menge":0},{"pzn":"04356248","menge":0}]}`)
	d.Post(path+"/einloesung?code=falsch", "")
	d.Post(path+"/einloesung?code="+url.QueryEscape(x.Value("zugriffscode")), "")
	d.Post(path+"/einloesung?code="+url.QueryEscape(x.Value("zugriffscode")), "")
	d.Get(path)
	d.Get("/rezepte/160.000.000.000.00")
	for range 3 {
		d.Get("/apotheke/bestand")
	}
}

func tell(d *service.Client) {
	d.Get("/nachrichten")
	form := strings.Join([]string{"--grenze", `Content-Disposition: form-data; name="text"`, "",
		"Bett 4 bitte um 15 Uhr frei.",
		"--grenze", `Content-Disposition: form-data; name="anhang"; filename="notiz.txt"`, "Content-Type: text/plain", "",
		"0xC0FFEE", "--grenze--", ""}, "\r\n")
	m := d.Post("/nachrichten", form, "Content-Type", "multipart/form-data; boundary=grenze")
	path := "/nachrichten/" + m.Value("id")
	d.Get(path)
	d.Get(path + "/roh")
	d.Send("PATCH", path, "")
	d.Get(path)
	d.Get("/nachrichten")
	d.Get("/nachrichten/1")
	d.Get("/nachrichten/77777")
	d.Post("/nachrichten", `{"text":"kein Formular"}`)
}

func report(d *service.Client) {
	for _, form := range []string{"cda", "html", "csv", "pdf", "vorlage"} {
		d.Get("/berichte/" + reportNumber + "/" + form)
	}
	d.Get("/berichte/R-9999/cda")
	j := d.Post("/berichte", `{"bericht":"R-0001","kopien":2,"etiketten":["blau","eilig"]}`)
	path := "/auftraege/" + j.Value("auftrag")
	d.Get(path)
	d.Sleep(100 * time.Millisecond)
	d.Get(path)
	d.Sleep(100 * time.Millisecond)
	d.Get(path)
	d.Get("/umleitung/station")
	d.Get("/umleitung/sso")
}

func count(d *service.Client) {
	d.Get("/statistik/tag")
	d.Get("/statistik/jahr")
}

func operate(d *service.Client) {
	for _, name := range []string{"status", "uhr", "knoten", "fehler", "laufzeit", "bereit"} {
		d.Get("/system/" + name)
	}
	for _, lang := range []string{"de-CH,de;q=0.9", "fr", "en"} {
		d.Get("/system/sprache", "Accept-Language", lang)
	}
	d.Get("/einstellungen")
	d.Send("PUT", "/einstellungen", `{"thema":"dunkel"}`)
	d.Get("/einstellungen")
	d.Send("PUT", "/einstellungen", `{"thema":"hell"}`)
	d.Send("PUT", "/einstellungen", `{"thema":"bunt"}`)
}

func audit(d *service.Client) {
	for _, path := range []string{"", "/log", "/zaehler", "/kette"} {
		d.Get("/protokoll" + path)
	}
}

// stumble sends what is turned away at the door.
func stumble(d *service.Client) {
	d.Send("PATCH", "/stationen", "{}")
	d.Post("/patienten", "Probst", "Content-Type", "text/plain")
	d.Post("/patienten", "{")
	d.Get("/keller")
}
