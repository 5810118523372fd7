package tcp

import (
	"net/netip"
	"testing"
)

// The kernel writes addresses as words in the order of the machine, which is little-endian where tests run.
func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000000000000000000001000000:0050": "[::1]:80",
		"0000000000000000FFFF00000100007F:0001": "127.0.0.1:1",
		"0100007F":                              "",
		"0100007F:":                             "",
		"0100007F:1F90F":                        "",
		"0100007:1F90":                          "",
		"010000:1F90":                           "",
		"0100007F0100007F:1F90":                 "",
		"":                                      "",
	} {
		got, ok := ParseAddress([]byte(text))
		if ok != (want != "") || ok && got != netip.MustParseAddrPort(want) {
			t.Errorf("%q is read as %v, %t; want %q", text, got, ok, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add([]byte("0100007F:1F90"))
	f.Add([]byte("00000000000000000000000001000000:0050"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, ok := ParseAddress(text); ok && !got.IsValid() {
			t.Errorf("%q is read as no address", text)
		}
	})
}
