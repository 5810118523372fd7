package trial

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// TestRoughClient holds judgements against labels where a client that knows nothing of the API was at work before the
// civil one: it tries methods, ids and bodies at random, and leaves behind what it happens to make, as a fuzzer does.
func TestRoughClient(t *testing.T) {
	if testing.Short() {
		t.Skip("a longer session: it takes its time")
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := shop(seed + 1)
			civil := s.Drive
			s.Drive = func(ctx context.Context, baseURL string, transport http.RoundTripper, pause func(context.Context, time.Duration) error) error {
				if err := rough(ctx, baseURL, transport, rand.New(rand.NewPCG(seed, 0x726f756768))); err != nil {
					return err
				}
				return civil(ctx, baseURL, transport, pause)
			}
			session, err := Play(t.Context(), s, 10)
			if err != nil {
				t.Fatal(err)
			}
			m := judge(t, session, 10)
			r := truth.Score(shopTruth(t), verdicts(m))
			t.Logf("precision %.3f, recall %.3f, category %.3f over %d places", r.Precision, r.Recall, r.Category, r.Places)
			explain(t, m, r)
			floors(t, r, apis[0])
		})
	}
}

// roughRequests is how many requests the rough client sends.
const roughRequests = 300

// roughPaths and roughBodies are what it tries; %d becomes a number.
var (
	roughPaths = strings.Fields(`/products /products/%d /products/%d/reviews /guestbook /guestbook/%d /orders /orders/%d
		/orders/5eed0a0d-7c3b-4f19-9a6e-2d4c8b1f0e73 /accounts /accounts/%d /login /me /registrations /imports /invoices
		/invoices/1041 /invoices/%d /cart /cart/items /search?q=o /search?q=%d /search/recent /prices/estimate?product=%d
		/prices/history /prices/rates /health /health/machine /visits /journal /odd/maybe /odd/rows /odd/maps /authors/%d
		/debug/crash /debug/objects/x%d /nothing/%d`)
	roughBodies = []string{
		"", "{}", "[]", "nope", `{"name":null}`, `{"name":"Bead","tag":"game","priceCents":450}`, `{"author":"Eve","text":"Hello"}`,
		`{"author":"Mary","stars":5,"text":"Good."}`, `{"items":[{"product":1,"quantity":2}]}`, `{"product":1,"quantity":1}`,
		`{"email":"a@b.de","password":"12345678","displayName":"A","birthDate":"2001-01-01"}`, `{"name":"lamp","x":1}`,
		`{"email":"a","age":1,"country":"","memberSince":""}`, `{"orderId":"5eed0a0d-7c3b-4f19-9a6e-2d4c8b1f0e73"}`,
	}
	roughMethods = strings.Fields("GET GET GET POST POST PUT DELETE PATCH")
)

func rough(ctx context.Context, baseURL string, transport http.RoundTripper, rng *rand.Rand) error {
	for range roughRequests {
		method, path, sent := roughMethods[rng.IntN(len(roughMethods))], roughPaths[rng.IntN(len(roughPaths))], ""
		path = strings.ReplaceAll(path, "%d", fmt.Sprint(rng.IntN(12)))
		if method != http.MethodGet && method != http.MethodDelete {
			sent = roughBodies[rng.IntN(len(roughBodies))]
		}
		r, err := http.NewRequestWithContext(ctx, method, baseURL+path, strings.NewReader(sent))
		if err != nil {
			return fmt.Errorf("make request: %w", err)
		}
		if sent != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if rng.IntN(3) > 0 {
			r.Header.Set("Authorization", "Bearer "+demoapi.PersonalToken)
		}
		answer, err := transport.RoundTrip(r)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	return nil
}
