package demoapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// language returns the language that an Accept-Language header prefers of those that the API speaks: en, de, fr.
func language(header string) string {
	best, weight := "en", 0.0
	for i, part := range strings.Split(header, ",") {
		if i == 20 {
			break
		}
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			q, _ = strconv.ParseFloat(v, 64)
		}
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if (primary == "en" || primary == "de" || primary == "fr") && q > weight {
			best, weight = primary, q
		}
	}
	return best
}

// rule is what a value must satisfy.
type rule string

// The rules that the API checks.
const (
	ruleRequired rule = "required"
	ruleEmail    rule = "email"
	ruleRange    rule = "range"
	ruleLength   rule = "length"
	ruleDate     rule = "date"
	ruleOneOf    rule = "oneOf"
)

// violation is one broken rule, told in the client's language.
type violation struct {
	Field   string `json:"field"`
	Rule    rule   `json:"rule"`
	Message string `json:"message"`
}

// violations collects what is wrong with one request.
type violations struct {
	lang string
	list []violation
}

// check notes a broken rule where ok is false.
func (v *violations) check(ok bool, field string, r rule, args ...any) {
	if !ok {
		v.list = append(v.list, violation{field, r, fmt.Sprintf(wording(v.lang, r), args...)})
	}
}

// refusal is the body of a validation error.
type refusal struct {
	Error      string      `json:"error"`
	Violations []violation `json:"violations"`
}

// answer returns the violations as a response.
func (v *violations) answer() answer {
	title := map[string]string{
		"en": "The request is not valid.", "de": "Die Anfrage ist ungültig.", "fr": "La requête n'est pas valide.",
	}
	return service.Reply(http.StatusUnprocessableEntity, refusal{title[v.lang], v.list}).With("Content-Language", v.lang)
}

// wording returns the message of a broken rule, as a format.
func wording(lang string, r rule) string {
	switch lang {
	case "de":
		switch r {
		case ruleRequired:
			return "darf nicht leer sein"
		case ruleEmail:
			return "muss eine gültige E-Mail-Adresse sein"
		case ruleRange:
			return "muss zwischen %d und %d liegen"
		case ruleLength:
			return "muss zwischen %d und %d Zeichen lang sein"
		case ruleDate:
			return "muss ein Datum wie 2001-12-31 sein"
		}
		return "muss einer der Werte %s sein"
	case "fr":
		switch r {
		case ruleRequired:
			return "ne doit pas être vide"
		case ruleEmail:
			return "doit être une adresse électronique valide"
		case ruleRange:
			return "doit être compris entre %d et %d"
		case ruleLength:
			return "doit contenir entre %d et %d caractères"
		case ruleDate:
			return "doit être une date comme 2001-12-31"
		}
		return "doit être l'une des valeurs %s"
	}
	switch r {
	case ruleRequired:
		return "must not be empty"
	case ruleEmail:
		return "must be a valid e-mail address"
	case ruleRange:
		return "must be between %d and %d"
	case ruleLength:
		return "must be between %d and %d characters long"
	case ruleDate:
		return "must be a date such as 2001-12-31"
	}
	return "must be one of %s"
}
