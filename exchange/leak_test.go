package exchange

import (
	"strings"
	"testing"
)

// What one text tells is found in another, however it was written there.
func TestSecretsElsewhere(t *testing.T) {
	const target, form = "GET", "form"
	long := strings.Repeat("long0-", 100<<10/6)
	for _, c := range []struct{ in, names, value, echo string }{
		{target, "/a?next=%2Fcb%3Ftoken%3DTKnestAA345", "TKnestAA345", "TKnestAA345"},
		{target, "/a?next=%2Fcb%3ftoken%3dTK%252BnestAA345%26b%3d1", "TK+nestAA345", "TK%2BnestAA345"},
		{target, "/a?redirect=http%3A%2F%2Fbob%3APW%2540h-3x%40h%2F", "PW@h-3x", "PW@h-3x"},
		{form, "next=%2Fcb%3Ftoken%3DTKnestAA345&x=%zz%4", "TKnestAA345", "TKnestAA345"},
		{form, "header=Basic+YW5uOnB3LXRoYXQtMQ%3D%3D", "pw-that-1", "pw-that-1"},
		{form, "Authorization=Basic%20YW5uOnB3LXRoYXQtMQ==", "pw-that-1", "YW5uOnB3LXRoYXQtMQ=="},
		{form, "Authorization=Basic YW5uOnB3LXRoYXQtMQ==", "pw-that-1", "pw-that-1"},
		{form, "password=a%2Bb+c!d-1%2F", "a+b c!d-1/", "a%2bb+c%21d-1%2f"},
		{form, "password=a%2Bb+c!d-1%2F", "a+b c!d-1/", "a%2Bb%20c!d-1%2F"},
		{form, "password=a%2Bb+c!d-1%2F", "a+b c!d-1/", "a%2bb%20c!d-1%2f"},
		{form, "password=%C3%A9t%C3%A9/pw-1", "été/pw-1", `\u00e9t\u00e9\/pw-1`},
		{form, `{"password":"` + long + `"}`, long, long},
	} {
		var s Secrets
		if c.in == target {
			s.target(c.names)
		} else {
			s.body("application/x-www-form-urlencoded", []byte(c.names))
		}
		r := Redactor{Key: []byte("k"), Known: s.Known()}
		if shown := r.Show("", "it says <"+c.echo+">"); shown != "it says <"+r.Token(c.value)+">" && !strings.Contains(c.echo, "==") || strings.Contains(shown, c.echo) {
			t.Errorf("%.60s: its echo is shown: %.60s", c.names, shown)
		}
	}
	if shown := (Redactor{}).Show("", "Authorization=Basic YW5uOg== and more"); strings.Contains(shown, "YW5uOg") || !strings.HasSuffix(shown, " and more") {
		t.Errorf("credentials behind a name are shown: %s", shown)
	}
}
