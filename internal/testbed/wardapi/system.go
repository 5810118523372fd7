package wardapi

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) systemRoutes() []route {
	return []route{
		service.On("GET", "/system/status", a.status),
		service.On("GET", "/system/uhr", a.clock),
		service.On("GET", "/system/knoten", a.node),
		service.On("GET", "/system/fehler", a.crash),
		service.On("GET", "/system/sprache", a.speak),
		service.On("GET", "/system/laufzeit", func(r *request) answer {
			return service.Typed(http.StatusOK, "text/plain; charset=utf-8", fmt.Appendf(nil, "Klinik 7.3.1 läuft seit %s\n",
				isoDuration(r.now.Sub(a.started))))
		}),
		service.On("GET", "/system/bereit", func(*request) answer {
			return service.Empty(http.StatusNoContent).With("X-Version", "7.3.1-build.20260114")
		}),
		service.On("PUT", "/einstellungen", a.putSetting),
		service.On("GET", "/einstellungen", a.getSetting),
	}
}

func (a *API) status(r *request) answer {
	return service.Reply(http.StatusOK, object{
		"status": "UP", "version": "7.3.1-build.20260114", "commit": digest("commit")[:40],
		"gebaut": "2026-01-14T03:12:45.117Z", "zaehler_gc": 7,
		"laufzeit": isoDuration(r.now.Sub(a.started)),
		"teile": []object{{"name": "db", "status": "UP", "latenz_ms": a.about(3, 2, 2)},
			{"name": "lab", "status": "UP", "latenz_ms": a.about(9, 4, 2)}},
		"speicher":      object{"frei_bytes": 1<<28 + a.rng.Int64N(1<<24), "gesamt_bytes": 1 << 30},
		"schluessel_id": "klinik-2026", "lizenz": "7F3A-91C0-DEAD-BEEF", "lizenz_bis": "31.12.2027",
	}).With("X-Trace", "00-"+a.hex(16)+"-"+a.hex(8)+"-01").With("X-Dauer-Ms", fmt.Sprintf("%.3f", 1+20*a.rng.Float64()))
}

// clock tells the time in notations that few services share.
func (a *API) clock(r *request) answer {
	t := r.now
	return service.Reply(http.StatusOK, object{
		"epoch_text": epochText(t), "hl7_ts": t.Format("20060102150405.000-0700"), "julianisch": julian(t),
		"swatch": beats(t), "hex_ms": fmt.Sprintf("0x%x", t.UnixMilli()),
		"ntp": float64(t.Unix()+2208988800) + float64(t.Nanosecond())/1e9, "filetime": t.UnixNano()/100 + 116444736000000000,
		"cocoa":  float64(t.UnixMicro())/1e6 - 978307200,
		"dotnet": fmt.Sprintf("/Date(%d)/", t.UnixMilli()), "excel": julian(t) - 2415018.5,
		"oracle": strings.ToUpper(t.Format("02-Jan-06 03.04.05.000000 PM")),
		"datum":  t.Format(germanDate), "uhrzeit": berlin(t).Format("15:04:05.000"), "wochentag": weekday(t),
		"iso_woche": isoWeek(t), "iso_tag": isoWeekday(t), "tag_des_jahres": t.YearDay(),
		"mjd": t.Unix()/86400 + 40587, "satz": "Es ist " + berlin(t).Format("15:04:05.00") + " Uhr.", "zone": "Europe/Berlin",
		"schaltsekunden": 37, "epoche": "1970-01-01T00:00:00Z",
		"ablauf": t.Add(90 * time.Second).Format(time.RFC850), "klasse": "stratum-2", "teile": []int64{t.Unix() % 60,
			int64(t.Nanosecond()) / 1000},
	})
}

// node tells where the API runs: constants until it runs elsewhere.
func (a *API) node(r *request) answer {
	env, port := a.dials.Environment.WithDefaults(), ""
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		_, port, _ = net.SplitHostPort(at.String())
	}
	return service.Reply(http.StatusOK, object{
		"knoten": env.Hostname, "pid": env.PID, "port": port, "daten": env.TempDir + "/klinik/station.db",
		"benutzer": env.User, "konsole": "http://127.0.0.1:" + port + "/konsole",
		"instanz": fmt.Sprintf("%s#%d", env.Hostname, env.PID), "rolle": "primaer", "kerne": 8, "zone": "eu-central-1b",
		"lien": object{"self": r.absolute("/system/knoten")},
	}).With("X-Knoten", env.Hostname)
}

// crash answers 500 on purpose, with what other languages let slip when they fail.
func (a *API) crash(*request) answer {
	at := fmt.Sprintf("0x7f%010x", a.rng.Uint64N(1<<40))
	routine := 100 + a.rng.IntN(90000)
	return service.Reply(http.StatusInternalServerError, object{
		"fehler": "AttributeError", "meldung": "'NoneType' has no attribute 'bett': <klinik.Station object at " + at + ">",
		"faden": fmt.Sprintf("ForkPoolWorker-%d", 1+a.rng.IntN(400)),
		"goroutine": fmt.Sprintf("goroutine %d [running]:\nklinik.(*Station).Bett(0xc%09x)\n\t/src/station.go:42 +0x1d",
			routine, a.rng.Uint64N(1<<28)*8),
		"stapel": []string{"File \"/app/station.py\", line 118, in lade",
			"File \"<frozen importlib>\", line 7, in <lambda at " + at + ">", "File \"/app/bett.py\", line 9, in frei"},
		"php": fmt.Sprintf("spl_object_id #%d of class@anonymous\x00/app/Station.php:12$%x", 10+a.rng.IntN(9000),
			a.rng.Uint32()),
		"fehlercode": "E-0x80070057", "wiederholbar": false, "dokument": "https://klinik.example/fehler#attribut",
	})
}

// speak greets in the language that the client asks for first, of those it speaks.
func (a *API) speak(r *request) answer {
	words := map[string][3]string{
		"de": {"Willkommen auf Station", "1.234,56 €", "3. Februar 2025"}, "fr": {"Bienvenue dans le service",
			"1 234,56 €", "3 février 2025"},
		"en": {"Welcome to the ward", "€1,234.56", "3 February 2025"},
	}
	lang := strings.ToLower(r.Header.Get("Accept-Language") + "  ")[:2]
	if _, ok := words[lang]; !ok {
		lang = "en"
	}
	w := words[lang]
	return service.Reply(http.StatusOK, object{"gruss": w[0], "betrag": w[1], "datum": w[2],
		"sprachen": []string{"de", "en", "fr"}}).
		With("Content-Language", lang).With("Vary", "Accept-Language")
}

// putSetting keeps a setting. Earlier clients changed it too: the revision goes on from theirs until a reset.
func (a *API) putSetting(r *request) answer {
	in, bad := decode[struct {
		Theme string `json:"thema"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Theme != "hell" && in.Theme != "dunkel" {
		return a.invalid(r, []object{{"feld": "thema", "meldung": "muss hell oder dunkel sein"}})
	}
	a.state.setting = in.Theme
	a.state.revision++
	return service.Reply(http.StatusOK, object{"thema": in.Theme, "revision": a.state.revision,
		"geaendert": r.now.Format(time.RFC822Z) + "." + r.now.Format("05.000")}).
		With("Etag", fmt.Sprintf(`"rev-%d"`, a.state.revision))
}

func (a *API) getSetting(*request) answer {
	return service.Reply(http.StatusOK, object{"thema": a.state.setting, "revision": a.state.revision,
		"schrift": "Atkinson 0x10", "palette": []string{"#bada55", "#0ff1ce"}}).
		With("Etag", fmt.Sprintf(`"rev-%d"`, a.state.revision))
}
