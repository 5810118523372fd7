// Command pocketbase is PocketBase as it comes: an API with logins, and records whose ids the server makes, that the
// tests record and replay. It is a module of its own, so that flaketap depends on nothing of it.
package main

import (
	"log"

	"github.com/pocketbase/pocketbase"
)

func main() {
	if err := pocketbase.New().Start(); err != nil {
		log.Fatal(err)
	}
}
