package wardapi

import (
	"net/http"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) statisticsRoutes() []route {
	return []route{
		service.On("GET", "/statistik/tag", a.dailyFigures),
		service.On("GET", "/statistik/jahr", a.yearFigures),
	}
}

// dailyFigures are of today: what follows the date stays until midnight.
func (a *API) dailyFigures(r *request) answer {
	name, greeting := shift(r.now)
	end := time.Date(r.now.Year(), 12, 31, 0, 0, 0, 0, time.UTC)
	return service.Reply(http.StatusOK, object{
		"stand": r.now.Format(germanDate), "kw": isoWeek(r.now), "schicht": name, "begruessung": greeting + ", Agnes!",
		"tage_bis_jahresende": int(end.Sub(r.now.Truncate(24*time.Hour)).Hours() / 24),
		"belegung":            map[string]float64{"ITS-1": 0.83, "KIN-2": 0.61}, "verweildauer": "P4DT7H", "median": 3,
		"gleitend":   []float64{4.1, 4.25, 4.0},
		"fenster":    object{"von": r.now.AddDate(0, 0, -7).Format(time.DateOnly), "bis": r.now.Format(time.DateOnly)},
		"woche_bis":  isoWeekday(r.now),
		"epoch_tage": r.now.Unix() / 86400, "erzeugt": r.now.Format(time.UnixDate),
		"titel": "Tagesbericht der Klinik Nord, erstellt am " + weekday(r.now), "ausgabe": "20260114",
	}).With("Expires", r.now.Truncate(24*time.Hour).AddDate(0, 0, 1).Format(http.TimeFormat))
}

// yearFigures are of a year that is over: they stay, but for sums that are made in the order of a hash map.
func (a *API) yearFigures(*request) answer {
	values := []float64{0.1, 0.2, 0.3, 0.7, 1.1, 1e-3, 12.7, 1.0 / 3, 2.0 / 7, 5.55, 33.3, 0.07}
	sum, squares := 0.0, 0.0
	for _, v := range shuffled(a, values) {
		sum += v
	}
	for _, v := range shuffled(a, values) {
		squares += v * v
	}
	return service.Reply(http.StatusOK, object{
		"jahr": 2024, "werte": values, "summe": sum,
		"varianz": squares/float64(len(values)) - sum*sum/float64(len(values)*len(values)), "anzahl": len(values),
		"von": "2024-01-01T00:00:00+01:00", "bis": "2024-12-31T23:59:59.999999999+01:00",
		"quartale":  []object{{"q": "2024-Q1", "faelle": 1201}, {"q": "2024-Q2", "faelle": 1187}},
		"rangliste": shuffled(a, []string{"G67B", "I21A", "J18C", "K80B", "S72A", "O60D"}), "top": []string{"O60D", "I21A",
			"G67B"}, "pi": 3.141592653589793,
		"konfidenz": []float64{0.9499999999999999, 0.95}, "stichprobe": a.rng.IntN(90000) + 10000, "startwert": 1769663709,
		"seed": "0xDEADBEEF",
	}).With("Etag", `"jahr-2024-v3"`)
}
