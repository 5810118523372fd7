package answers_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type thing struct {
	ID     int64
	Name   string   `json:"name"`
	Price  float64  `json:"price"`
	Count  uint8    `json:"count"`
	Ready  bool     `json:"ready"`
	Tags   []string `json:"tags"`
	Note   *string  `json:"note"`
	Absent string   `json:"absent,omitempty"`
	Maker  struct {
		Country string `json:"country"`
		Since   any    `json:"since"`
	} `json:"maker"`
}

func fetch(t *testing.T) *http.Response {
	t.Helper()
	resp, err := http.Get(os.Getenv("BASE_URL") + "/things")
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestAny(t *testing.T) {
	resp := fetch(t)
	defer resp.Body.Close()
	var v map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		t.Errorf("status")
	}
	if got := v["name"]; got != "Coffee" {
		t.Errorf("name %v", got)
	}
	if v["name"] != "Coffee" {
		t.Error("name")
	}
	if name, ok := v["name"].(string); !ok || name != "Coffee" {
		t.Errorf("name %s", name)
	}
	if v["price"].(float64) != 2.5 {
		t.Error("price")
	}
	if got := int(v["count"].(float64)); got != 3 {
		t.Error("count")
	}
	if _, ok := v["ready"]; !ok {
		t.Error("ready")
	}
	if v["ready"] != true || v["Id"] != 7.0 {
		t.Error("ready")
	}
	want := []any{"hot", "black"}
	if !reflect.DeepEqual(v["tags"], want) {
		t.Error("tags")
	}
	if diff := cmp.Diff([]any{"hot", "black"}, v["tags"]); diff != "" {
		t.Error(diff)
	}
	if v["note"] != nil {
		t.Error("note")
	}
	maker := v["maker"].(map[string]any)
	if maker["country"] != "It"+"aly" {
		t.Error("country")
	}
	country := "Italy"
	if got, wanted := maker["country"], country; got != wanted {
		t.Error("country")
	}
	if kind := resp.Header.Get("Content-Type"); kind != "application/json" {
		t.Error("kind")
	}
}

func TestStruct(t *testing.T) {
	resp := fetch(t)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
	var v thing
	if err := json.Unmarshal(data, &v); err != nil {
		t.Error(err)
	}
	if v.ID != 7 {
		t.Error("id")
	}
	name := "Coffee"
	if v.Name != name {
		t.Error("name")
	}
	if v.Price < 1 {
		t.Error("price")
	}
	if v.Price != 2.5 {
		t.Error("price")
	}
	if v.Count != 3 {
		t.Error("count")
	}
	if !v.Ready {
		t.Error("ready")
	}
	if want := []string{"hot", "black"}; !slices.Equal(v.Tags, want) {
		t.Errorf("tags %v", want)
	}
	if len(v.Tags) != 2 {
		t.Error("tags")
	}
	if v.Note != nil {
		t.Error("note")
	}
	if v.Absent != "" {
		t.Error("absent")
	}
	if v.Maker.Country != "Italy" {
		t.Error("country")
	}
	if v.Maker.Since != 1906.0 {
		t.Error("since")
	}
	if !strings.Contains(string(data), "Coffee") {
		t.Error("text")
	}
	if !regexp.MustCompile(`^[A-Z][a-z]+$`).MatchString(v.Name) {
		t.Error("name")
	}
	switch {
	case v.Name != "Coffee":
		t.Error("name")
	}
	switch {
	case err != nil, v.Count < 3, v.Price > 3 || v.Price < 2:
		t.Error("count")
	case v.ID == 0:
		t.Error("id")
	}
	switch {
	case v.Maker.Country != "Italy" || v.Maker.Since == 0:
		t.Fatal("maker")
	}
	for _, tag := range v.Tags {
		if tag == "" {
			t.Error("tag")
		}
	}
	var tags []string
	for _, tag := range v.Tags {
		tags = append(tags, tag)
	}
	if !slices.Equal(tags, []string{"hot", "black"}) {
		t.Errorf("tags %v", tags)
	}
}
