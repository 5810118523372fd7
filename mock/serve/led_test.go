package serve

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/replay/service"
)

// Services that are slow answer as they do else, later by what is said; the real ones that are allowed, too, are
// reached later.
func TestSlowServices(t *testing.T) {
	const late = 300 * time.Millisecond
	stubs := t.TempDir()
	stub := `{"request": {"urlPath": "/rates"}, "response": {"status": 203, "body": "usd 1.1"}}`
	if err := os.WriteFile(filepath.Join(stubs, "rates.json"), []byte(stub), 0o600); err != nil {
		t.Fatal(err)
	}
	api := &service.Service{}
	if err := api.Environment.Add("externals", "slow"); err != nil {
		t.Fatal(err)
	}
	x := Externals{Stubs: []string{stubs}, Intercept: "env", slowBy: late}
	led, err := x.Lead(t.Context(), api, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := led.Close(); err != nil {
			t.Error(err)
		}
	}()
	began := time.Now()
	resp, err := clientOf(t, api.Env).Get("http://rates.example.com/rates")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != 203 || string(body) != "usd 1.1" {
		t.Errorf("got %d %s, %v", resp.StatusCode, body, err)
	}
	if took := time.Since(began); took < late {
		t.Errorf("the answer came after %s, want %s or more", took, late)
	}
	real, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	began = time.Now()
	c, err := led.dial(t.Context(), "tcp", real.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if took := time.Since(began); took < late {
		t.Errorf("the real service was reached after %s, want %s or more", took, late)
	}
}

// clientOf is a client that goes by the proxy of an environment.
func clientOf(t *testing.T, env []string) *http.Client {
	t.Helper()
	for _, kv := range env {
		if at, is := strings.CutPrefix(kv, "HTTP_PROXY="); is {
			proxy, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
		}
	}
	t.Fatal("no proxy is named")
	return nil
}
