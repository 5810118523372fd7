package certs

import (
	"fmt"
	"testing"
	"time"
)

func TestCacheIsBounded(t *testing.T) {
	a, err := LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxLeaves + 50 {
		if _, err := a.Leaf(fmt.Sprintf("h%d.example", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.leaves) != maxLeaves {
		t.Errorf("cache holds %d, want %d", len(a.leaves), maxLeaves)
	}
}

func TestFailureIsNotKept(t *testing.T) {
	a, err := LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	good := a.cert
	broken := *good
	broken.PublicKey = &a.leafKey.PublicKey // CreateCertificate checks that parent and key belong together
	a.cert = &broken
	if _, err := a.Leaf("a.example"); err == nil {
		t.Fatal("minted with a key that is not the parent's")
	}
	a.cert = good
	if _, err := a.Leaf("a.example"); err != nil {
		t.Errorf("after the cause is gone: %v", err)
	}
}

func TestLeafNearItsEndIsReplaced(t *testing.T) {
	a, err := LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	old, err := a.Leaf("a.example")
	if err != nil {
		t.Fatal(err)
	}
	old.Leaf.NotAfter = time.Now().Add(time.Hour)
	fresh, err := a.Leaf("a.example")
	if err != nil {
		t.Fatal(err)
	}
	if fresh == old {
		t.Error("a leaf that ends within the hour is still handed out")
	}
}
