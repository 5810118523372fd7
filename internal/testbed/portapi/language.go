package portapi

import (
	"fmt"
	"strings"
	"time"
)

// tongue is how a language writes dates. In its layouts {day} and {month} are names, {mon} is a short name, {D}, {M}
// and {Y} are numbers, {DD}, {MM} and {YY} are those of two digits.
type tongue struct {
	tag                                string
	days, months, short                string // names, from Sunday and January on, parted by blanks
	long, numeric, brief, month        string // layouts
	meet, price, hello, night, opening string // meet is a layout; the others are texts
}

// tongues lists the languages that the port speaks; the first is for those whom none of them suits.
func tongues() []tongue {
	english := tongue{
		"en-US", "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
		"January February March April May June July August September October November December",
		"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "{day}, {month} {D}, {Y}", "{MM}/{DD}/{Y}", "{D} {mon} {YY}",
		"{month} {Y}", "See you on {day}", "$1,234.56", "Good day", "Good night", "Monday to Friday 6 AM to 10 PM",
	}
	british := english
	british.tag, british.price = "en-GB", "£1,234.56"
	british.long, british.numeric = "{day}, {D} {month} {Y}", "{DD}/{MM}/{Y}"
	return []tongue{english, british, {
		"fr", "dimanche lundi mardi mercredi jeudi vendredi samedi",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "{day} {D} {month} {Y}", "{DD}/{MM}/{Y}",
		"{D} {mon} {YY}", "{month} {Y}", "À {day} !", "1 234,56 €",
		"Bonjour", "Bonne nuit", "du lundi au vendredi 6 h à 22 h",
	}, {
		"de", "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
		"Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
		"Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "{day}, {D}. {month} {Y}", "{DD}.{MM}.{Y}",
		"{D}. {mon} {YY}", "{month} {Y}", "Bis {day}", "1.234,56 €", "Guten Tag", "Gute Nacht", "Montag bis Freitag 6–22 Uhr",
	}, {
		"es", "domingo lunes martes miércoles jueves viernes sábado",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago sept oct nov dic", "{day}, {D} de {month} de {Y}", "{D}/{M}/{Y}", "{D} {mon} {YY}",
		"{month} de {Y}", "Hasta el {day}", "1.234,56 €", "Buenos días", "Buenas noches",
		"de lunes a viernes de 6:00 a 22:00",
	}, {
		"ja", "日曜日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日", "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
		"1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月", "{Y}年{M}月{D}日{day}", "{Y}/{MM}/{DD}", "{YY}年{M}月{D}日", "{Y}年{M}月",
		"{day}にお会いしましょう", "￥1,234", "こんにちは", "おやすみなさい", "月曜日から金曜日 6:00～22:00",
	}, {
		"ar", "الأحد الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت",
		"يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
		"يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر", "{day}، {D} {month} {Y}", "{D}/{M}/{Y}",
		"{D} {mon} {YY}", "{month} {Y}", "أراك يوم {day}", "١٬٢٣٤٫٥٦ د.إ", "نهارك سعيد", "تصبح على خير",
		"من الاثنين إلى الجمعة ٦:٠٠–٢٢:٠٠",
	}, {
		"pl", "niedziela poniedziałek wtorek środa czwartek piątek sobota",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"sty lut mar kwi maj cze lip sie wrz paź lis gru", "{day}, {D} {month} {Y}", "{D}.{MM}.{Y}", "{D} {mon} {YY}",
		"{MM}.{Y}",
		"Do zobaczenia: {day}", "1234,56 zł", "Dzień dobry", "Dobranoc", "od poniedziałku do piątku 6:00–22:00",
	}}
}

// tongueOf returns the language that a request asks for first.
func tongueOf(r *request) tongue {
	all := tongues()
	want := strings.ToLower(r.Header.Get("Accept-Language"))
	for _, t := range all {
		if strings.HasPrefix(want, strings.ToLower(t.tag)) {
			return t
		}
	}
	return all[0]
}

// write writes a day in a layout of the language.
func (t tongue) write(layout string, at time.Time) string {
	m := int(at.Month())
	text := strings.NewReplacer("{day}", strings.Fields(t.days)[at.Weekday()], "{month}", strings.Fields(t.months)[m-1],
		"{mon}", strings.Fields(t.short)[m-1], "{DD}", fmt.Sprintf("%02d", at.Day()), "{MM}", fmt.Sprintf("%02d", m),
		"{YY}", fmt.Sprintf("%02d", at.Year()%100), "{D}", fmt.Sprint(at.Day()), "{M}", fmt.Sprint(m),
		"{Y}", fmt.Sprint(at.Year())).Replace(layout)
	if t.tag == "ar" {
		text = strings.NewReplacer("0", "٠", "1", "١", "2", "٢", "3", "٣", "4", "٤", "5", "٥", "6", "٦", "7", "٧", "8", "٨",
			"9", "٩").Replace(text)
	}
	return text
}

// greeting returns how one greets at the hour.
func (t tongue) greeting(at time.Time) string {
	if h := at.Hour(); h < 6 || h >= 15 {
		return t.night
	}
	return t.hello
}

// isoWeek returns the week as 2026-W25.
func isoWeek(t time.Time) string {
	year, week := t.ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// workday tells the days of a week's end from the others.
func workday(t time.Time) bool { return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday }

// lastOfMonth reports whether the next day is in another month.
func lastOfMonth(t time.Time) bool { return t.AddDate(0, 0, 1).Day() == 1 }

// since returns how many minutes ago something was, in the language.
func (t tongue) since(d time.Duration) string {
	layouts := map[string]string{"fr": "il y a %d minutes", "de": "vor %d Minuten", "es": "hace %d minutos", "ja": "%d分前",
		"ar": "قبل %d دقائق", "pl": "%d minuty temu"}
	layout, there := layouts[t.tag]
	if !there {
		layout = "%d minutes ago"
	}
	return fmt.Sprintf(layout, d/time.Minute)
}

// ago returns how long ago something was, as people say it.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d minutes ago", d/time.Minute)
	}
	return fmt.Sprintf("%d hours ago", d/time.Hour)
}
