package wardapi

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// scenario is one thing that people of a ward do.
type scenario struct {
	name string
	play func(*driver)
}

// scenarios lists what Drive does in each round, in order.
func scenarios() []scenario {
	return []scenario{
		{"dienst", work}, {"stammdaten", lookUp}, {"station", walk}, {"patient", register}, {"aufenthalt", stay},
		{"sprechstunde", arrange},
		{"labor", analyse}, {"geraete", measure}, {"rezept", heal}, {"nachricht", tell}, {"bericht", report},
		{"statistik", count},
		{"system", operate}, {"protokoll", audit}, {"abweisung", stumble},
	}
}

const nurseLogin = `{"kennung":"` + nurse + `","passwort":"` + nursePassword + `"}`

func work(d *driver) {
	d.post("/anmeldung", `{"kennung":"schwester.agnes","passwort":"geraten"}`)
	cookie := d.post("/anmeldung", nurseLogin).cookie()
	d.get("/sitzung")
	d.get("/sitzung", "Cookie", cookie)
	d.send("PATCH", "/sitzung", "", "Cookie", cookie)
	d.get("/sitzung", "Cookie", cookie)
	d.send("DELETE", "/sitzung", "", "Cookie", cookie)
	d.get("/sitzung", "Cookie", cookie)
}

func lookUp(d *driver) {
	for _, pzn := range []string{"04356248", "01126111", "07244313"} {
		etag := d.get("/medikamente/" + pzn).etag()
		d.get("/medikamente/"+pzn, "If-None-Match", etag)
	}
	for _, path := range []string{"/medikamente/99999999", "/versicherte/A123456780", "/versicherte/B987654321",
		"/versicherte/C000000000",
		"/codes/geraete", "/codes/zeiten", "/codes/farben", "/export/medikamente", "/export/versicherte"} {
		d.get(path)
	}
}

func walk(d *driver) {
	d.get("/stationen")
	d.send("OPTIONS", "/stationen", "")
	for _, key := range []string{"ITS-1", "KIN-2"} {
		etag := d.get("/stationen/" + key).etag()
		d.get("/stationen/"+key, "If-None-Match", etag)
		d.get("/stationen/" + key + "/betten")
		d.get("/stationen/" + key + "/lage")
		d.get("/stationen/" + key + "/dienstplan")
	}
	d.get("/stationen/ITS-1/lage")
	d.get("/stationen/CHI-9")
	d.get("/stationen/CHI-9/betten")
}

func newPatient(d *driver) *got {
	return d.post("/patienten", fmt.Sprintf(
		`{"nachname":"Probst","vorname":"Gast %d","geburtsdatum":"17.05.1990","geschlecht":"d"}`, d.round))
}

func register(d *driver) {
	p := newPatient(d)
	path := "/patienten/" + p.value("id")
	d.get(path)
	d.send("PUT", path, `{"nachname":"Probst-Huß","vorname":"Gast","geburtsdatum":"17.05.1990","geschlecht":"d"}`,
		"If-Match", p.etag())
	d.send("PUT", path, `{"nachname":"Probst","vorname":"Gast","geburtsdatum":"17.05.1990","geschlecht":"d"}`,
		"If-Match", p.etag())
	d.send("PUT", path, `{"nachname":"Probst"}`)
	d.get(path)
	d.post("/patienten", `{"nachname":"","vorname":"","geburtsdatum":"gestern","geschlecht":"x"}`)
	d.get("/patienten/" + seedPatientID)
	d.send("DELETE", "/patienten/"+seedPatientID, "")
	d.send("DELETE", path, "")
	d.get(path)
	d.get("/patienten/00000000-0000-0000-0000-000000000000")
	next := d.get("/patienten?name=M%C3%BC").value("zeiger")
	d.get("/patienten?name=M%C3%BC&zeiger=" + next)
	d.get("/patienten?name=M%C3%BC&zeiger=%21")
}

func stay(d *driver) {
	patient := newPatient(d).value("id")
	path := "/aufnahmen/" + d.post("/aufnahmen", `{"patient":"`+patient+`","station":"ITS-1"}`).value("fall")
	d.get(path)
	d.get("/aufnahmen")
	d.get("/stationen/ITS-1/betten")
	d.sleep(30 * time.Millisecond)
	d.post(path+"/verlegung", `{"station":"KIN-2"}`)
	d.post(path+"/verlegung", `{"station":"KIN-2"}`)
	d.get(path)
	d.post(path+"/entlassung", "")
	d.post(path+"/entlassung", "")
	d.get(path)
	d.get("/aufnahmen")
	d.get("/aufnahmen/A-2026-999999")
	d.post("/aufnahmen", `{"patient":"nobody","station":"ITS-1"}`)
}

func arrange(d *driver) {
	in := d.post("/anmeldung", nurseLogin)
	d.headers = []string{"Cookie", in.cookie(), "X-CSRF-Token", in.value("csrf")}
	d.get("/sprechstunde")
	path := "/termine/" + d.post("/termine", `{"von":"08:40"}`).value("termin")
	d.get(path)
	d.post("/termine", `{"von":"23:40"}`)
	d.post("/termine", `{"von":"08:40"}`, "X-CSRF-Token", "erraten")
	d.send("DELETE", path, "")
	d.get(path)
}

func analyse(d *driver) {
	s := d.post("/proben", `{"material":"EDTA-Blut","analysen":["NA","HB","CRP"]}`)
	path := "/proben/" + s.value("probe_id")
	for range 8 {
		d.get(path)
	}
	d.get(path + "/befund")
	d.sleep(200 * time.Millisecond)
	d.get(path + "/befund")
	d.get("/proben/01ARZ3NDEKTSV4RRFFQ69G5FAV")
	d.post("/proben", `{"material":"","analysen":["XX","YY"]}`)
	for range 3 {
		d.get("/labor/kontrolle")
	}
}

func measure(d *driver) {
	d.get("/laborgeraete")
	d.get("/vitalwerte/M-11")
	d.get("/vitalwerte/M-12")
	d.get("/vitalwerte/M-99")
}

func heal(d *driver) {
	ticket := d.post("/anmeldung", nurseLogin).value("ticket")
	d.post("/rezepte", `{"arzt":"123456789"}`)
	d.headers = []string{"Authorization", "Bearer " + ticket}
	x := d.post("/rezepte", `{"arzt":"123456789","dosierung":"1-0-1","positionen":[{"pzn":"04356248","menge":2},{"pzn":"07244313","menge":1}]}`)
	path := "/rezepte/" + x.value("rezept_nr")
	d.get(path)
	d.post("/rezepte", `{"arzt":"123456789","dosis":"1-0-1"}`)
	d.post("/rezepte", `{"arzt":"12","dosierung":"","positionen":[{"pzn":"1","menge":0},{"pzn":"04356248","menge":0}]}`)
	d.post(path+"/einloesung?code=falsch", "")
	d.post(path+"/einloesung?code="+url.QueryEscape(x.value("zugriffscode")), "")
	d.post(path+"/einloesung?code="+url.QueryEscape(x.value("zugriffscode")), "")
	d.get(path)
	d.get("/rezepte/160.000.000.000.00")
	for range 3 {
		d.get("/apotheke/bestand")
	}
}

func tell(d *driver) {
	d.get("/nachrichten")
	form := strings.Join([]string{"--grenze", `Content-Disposition: form-data; name="text"`, "",
		"Bett 4 bitte um 15 Uhr frei.",
		"--grenze", `Content-Disposition: form-data; name="anhang"; filename="notiz.txt"`, "Content-Type: text/plain", "",
		"0xC0FFEE", "--grenze--", ""}, "\r\n")
	m := d.post("/nachrichten", form, "Content-Type", "multipart/form-data; boundary=grenze")
	path := "/nachrichten/" + m.value("id")
	d.get(path)
	d.get(path + "/roh")
	d.send("PATCH", path, "")
	d.get(path)
	d.get("/nachrichten")
	d.get("/nachrichten/1")
	d.get("/nachrichten/77777")
	d.post("/nachrichten", `{"text":"kein Formular"}`)
}

func report(d *driver) {
	for _, form := range []string{"cda", "html", "csv", "pdf", "vorlage"} {
		d.get("/berichte/" + reportNumber + "/" + form)
	}
	d.get("/berichte/R-9999/cda")
	j := d.post("/berichte", `{"bericht":"R-0001","kopien":2,"etiketten":["blau","eilig"]}`)
	path := "/auftraege/" + j.value("auftrag")
	d.get(path)
	d.sleep(100 * time.Millisecond)
	d.get(path)
	d.sleep(100 * time.Millisecond)
	d.get(path)
	d.get("/umleitung/station")
	d.get("/umleitung/sso")
}

func count(d *driver) {
	d.get("/statistik/tag")
	d.get("/statistik/jahr")
}

func operate(d *driver) {
	for _, name := range []string{"status", "uhr", "knoten", "fehler", "laufzeit", "bereit"} {
		d.get("/system/" + name)
	}
	for _, lang := range []string{"de-CH,de;q=0.9", "fr", "en"} {
		d.get("/system/sprache", "Accept-Language", lang)
	}
	d.get("/einstellungen")
	d.send("PUT", "/einstellungen", `{"thema":"dunkel"}`)
	d.get("/einstellungen")
	d.send("PUT", "/einstellungen", `{"thema":"hell"}`)
	d.send("PUT", "/einstellungen", `{"thema":"bunt"}`)
}

func audit(d *driver) {
	for _, path := range []string{"", "/log", "/zaehler", "/kette"} {
		d.get("/protokoll" + path)
	}
}

// stumble sends what is turned away at the door.
func stumble(d *driver) {
	d.send("PATCH", "/stationen", "{}")
	d.post("/patienten", "Probst", "Content-Type", "text/plain")
	d.post("/patienten", "{")
	d.get("/keller")
}
