package wander

// The office, the shop of internal/testbed/demoapi, the ward of internal/testbed/wardapi, json-server, PocketBase and a
// library on the JVM as a walker knows them.

// OfficeAPI is the API of an [Office].
func OfficeAPI() *API {
	password := `"password":"secret-{user}"`
	return &API{
		Bearer: "Bearer ",
		First:  []string{"sign_up", "sign_up"},
		Seeds: map[string][]string{"project": {"website"}, "team": {"1"}, "setting": {"theme"}, "role": {"admin", "guest"},
			"userid": {"1"}, "state": {"done", "late"}, "feature": {"login"}},
		Logins: []Operation{
			{Name: "log_in", Method: "POST", Path: "/login", Body: `{"name":"{user}",` + password + `}`,
				Gives: map[string]string{"token": "/token"}},
			{Name: "log_in_root", Method: "POST", Path: "/login", Body: `{"name":"root","password":"rootpassword"}`,
				Gives: map[string]string{"token": "/token"}},
		},
		Operations: []Operation{
			{Name: "sign_up", Method: "POST", Path: "/users", Body: `{"name":"{+user}",` + password + `}`, Weight: 2,
				Gives: map[string]string{"user": "=user", "userid": "/id"}},
			{Name: "get_user", Method: "GET", Path: "/users/{userid}"},
			{Name: "list_users", Method: "GET", Path: "/users", Weight: 1},
			{Name: "give_role", Method: "PUT", Path: "/users/{userid}/role", Body: `{"role":"{role}"}`, Token: true, Weight: 2},
			{Name: "make_project", Method: "POST", Path: "/projects/{+project}", Token: true,
				Gives: map[string]string{"project": "=project"}},
			{Name: "get_project", Method: "GET", Path: "/projects/{project}"},
			{Name: "list_projects", Method: "GET", Path: "/projects", Weight: 1},
			{Name: "delete_project", Method: "DELETE", Path: "/projects/{project}", Token: true, Weight: 1},
			{Name: "add_feature", Method: "POST", Path: "/projects/{project}/features/{+feature}", Token: true,
				Gives: map[string]string{"feature": "=feature"}},
			{Name: "drop_feature", Method: "DELETE", Path: "/projects/{project}/features/{feature}", Token: true, Weight: 2},
			{Name: "make_team", Method: "POST", Path: "/teams", Body: `{"name":"{~}"}`, Token: true, Weight: 3,
				Gives: map[string]string{"team": "/id"}},
			{Name: "get_team", Method: "GET", Path: "/teams/{team}"},
			{Name: "make_board", Method: "POST", Path: "/teams/{team}/boards", Body: `{"name":"{~} {~}"}`, Token: true,
				Gives: map[string]string{"board": "/id"}},
			{Name: "list_boards", Method: "GET", Path: "/teams/{team}/boards", Weight: 2},
			{Name: "get_board", Method: "GET", Path: "/boards/{board}"},
			{Name: "make_card", Method: "POST", Path: "/boards/{board}/cards", Body: `{"name":"{~} {~}"}`, Token: true,
				Gives: map[string]string{"card": "/id"}},
			{Name: "list_cards", Method: "GET", Path: "/boards/{board}/cards", Weight: 2},
			{Name: "get_card", Method: "GET", Path: "/cards/{card}"},
			{Name: "change_card", Method: "PATCH", Path: "/cards/{card}", Body: `{"state":"{state}"}`, Token: true},
			{Name: "delete_card", Method: "DELETE", Path: "/cards/{card}", Token: true, Weight: 1},
			{Name: "delete_board", Method: "DELETE", Path: "/boards/{board}", Token: true, Weight: 1},
			{Name: "add_to_cart", Method: "POST", Path: "/cart", Body: `{"item":"{~}"}`, Token: true, Weight: 3},
			{Name: "get_cart", Method: "GET", Path: "/cart", Token: true, Weight: 3},
			{Name: "empty_cart", Method: "DELETE", Path: "/cart", Token: true, Weight: 1},
			{Name: "set", Method: "PUT", Path: "/settings/{+setting}", Body: `{"value":"{~}"}`, Token: true, Weight: 3,
				Gives: map[string]string{"setting": "=setting"}},
			{Name: "get_setting", Method: "GET", Path: "/settings/{setting}", Weight: 3},
		},
	}
}

// ShopAPI is the shop's.
func ShopAPI() *API {
	password := `"password":"password-of-{email}"`
	return &API{
		Bearer: "Bearer ",
		First:  []string{"register", "register"},
		Seeds:  map[string][]string{"product": {"1", "2", "3"}, "tag": {"book", "game"}},
		Logins: []Operation{{Name: "log_in", Method: "POST", Path: "/login", Body: `{"email":"{email}@cafe.de",` + password + `}`,
			Gives: map[string]string{"token": "/token"}}},
		Operations: []Operation{
			{Name: "register", Method: "POST", Path: "/accounts", Weight: 2,
				Body:  `{"email":"{+email}@cafe.de",` + password + `,"displayName":"{~}","birthDate":"1990-02-0{#}"}`,
				Gives: map[string]string{"email": "=email", "account": "/id"}},
			{Name: "profile", Method: "GET", Path: "/accounts/{account}"},
			{Name: "me", Method: "GET", Path: "/me", Token: true, Weight: 1},
			{Name: "cart", Method: "GET", Path: "/cart", Token: true, Weight: 1},
			{Name: "list_products", Method: "GET", Path: "/products?tag={tag}", Weight: 2},
			{Name: "make_product", Method: "POST", Path: "/products", Body: `{"name":"{~} {~}","tag":"{tag}","priceCents":{#}50}`,
				Gives: map[string]string{"product": "/id"}},
			{Name: "get_product", Method: "GET", Path: "/products/{product}"},
			{Name: "change_product", Method: "PUT", Path: "/products/{product}",
				Body: `{"name":"{~} {~}","tag":"{tag}","priceCents":{#}00}`},
			{Name: "delete_product", Method: "DELETE", Path: "/products/{product}", Weight: 2},
			{Name: "list_reviews", Method: "GET", Path: "/products/{product}/reviews", Weight: 2},
			{Name: "review", Method: "POST", Path: "/products/{product}/reviews", Body: `{"stars":3,"text":"{~} and {~}"}`},
			{Name: "order", Method: "POST", Path: "/orders", Token: true,
				Body:  `{"items":[{"product":{product},"quantity":{#}}],"note":"{~}"}`,
				Gives: map[string]string{"order": "/id"}},
			{Name: "list_orders", Method: "GET", Path: "/orders", Token: true, Weight: 2},
			{Name: "get_order", Method: "GET", Path: "/orders/{order}", Token: true},
			{Name: "cancel_order", Method: "DELETE", Path: "/orders/{order}", Token: true, Weight: 2},
			{Name: "bill", Method: "POST", Path: "/invoices", Body: `{"orderId":"{order}"}`, Token: true, Weight: 3,
				Gives: map[string]string{"invoice": "/number"}},
			{Name: "get_invoice", Method: "GET", Path: "/invoices/{invoice}", Token: true, Weight: 3},
			{Name: "sign_guestbook", Method: "POST", Path: "/guestbook", Body: `{"author":"{~}","text":"{~} {~}"}`, Weight: 1,
				Gives: map[string]string{"entry": "/id"}},
			{Name: "read_entry", Method: "GET", Path: "/guestbook/{entry}", Weight: 2},
		},
	}
}

// WardAPI is the ward's.
func WardAPI() *API {
	return &API{
		Bearer: "Bearer ",
		Seeds: map[string][]string{"ward": {"ITS-1", "KIN-2"}, "patient": {"7c0e8a10-3f7b-5b6e-9d2c-4b1a6f5e3d2c"},
			"theme": {"hell", "dunkel"}, "drug": {"04356248", "01126111"}},
		Logins: []Operation{{Name: "log_in", Method: "POST", Path: "/anmeldung",
			Body: `{"kennung":"schwester.agnes","passwort":"florence1820"}`, Gives: map[string]string{"token": "/ticket"}}},
		Operations: []Operation{
			{Name: "make_patient", Method: "POST", Path: "/patienten", Gives: map[string]string{"patient": "/id"},
				Body: `{"nachname":"{~}","vorname":"{~}","geburtsdatum":"0{#}.12.1970","geschlecht":"w"}`},
			{Name: "get_patient", Method: "GET", Path: "/patienten/{patient}"},
			{Name: "delete_patient", Method: "DELETE", Path: "/patienten/{patient}", Weight: 2},
			{Name: "admit", Method: "POST", Path: "/aufnahmen", Body: `{"patient":"{patient}","station":"{ward}"}`,
				Gives: map[string]string{"case": "/fall"}},
			{Name: "list_cases", Method: "GET", Path: "/aufnahmen", Weight: 1},
			{Name: "get_case", Method: "GET", Path: "/aufnahmen/{case}"},
			{Name: "transfer", Method: "POST", Path: "/aufnahmen/{case}/verlegung", Body: `{"station":"{ward}"}`},
			{Name: "discharge", Method: "POST", Path: "/aufnahmen/{case}/entlassung", Weight: 2},
			{Name: "list_beds", Method: "GET", Path: "/stationen/{ward}/betten", Weight: 2},
			{Name: "take_sample", Method: "POST", Path: "/proben", Body: `{"material":"{~}","analysen":["HB","NA"]}`,
				Gives: map[string]string{"sample": "/probe_id"}},
			{Name: "get_sample", Method: "GET", Path: "/proben/{sample}"},
			{Name: "prescribe", Method: "POST", Path: "/rezepte", Token: true,
				Body:  `{"arzt":"838382202","dosierung":"1-0-1","hinweis":"{~}","kasse":"109500969","positionen":[{"pzn":"{drug}","menge":2}]}`,
				Gives: map[string]string{"prescription": "/nr"}},
			{Name: "get_prescription", Method: "GET", Path: "/rezepte/{prescription}", Token: true},
			{Name: "hand_out", Method: "POST", Path: "/rezepte/{prescription}/einloesung", Body: `{}`, Token: true},
			{Name: "set", Method: "PUT", Path: "/einstellungen", Body: `{"thema":"{theme}"}`, Weight: 2},
			{Name: "get_setting", Method: "GET", Path: "/einstellungen", Weight: 1},
		},
	}
}

// LendingAPI is that of a library that lends books, cmd/flaketap/testdata/real/Lending.java.
func LendingAPI() *API {
	password := `"password":"secret-{name}"`
	return &API{
		Bearer: "Bearer ",
		First:  []string{"sign_up", "sign_up"},
		Seeds:  map[string][]string{"book": {"1"}, "copy": {"11"}, "member": {"1"}},
		Logins: []Operation{
			{Name: "log_in", Method: "POST", Path: "/login", Body: `{"name":"{name}",` + password + `}`,
				Gives: map[string]string{"token": "/token"}},
			{Name: "log_in_librarian", Method: "POST", Path: "/login", Body: `{"name":"mara","password":"librarian-of-old"}`,
				Gives: map[string]string{"token": "/token"}},
		},
		Operations: []Operation{
			{Name: "sign_up", Method: "POST", Path: "/members", Body: `{"name":"{+name}",` + password + `}`, Weight: 2,
				Gives: map[string]string{"name": "=name", "member": "/id"}},
			{Name: "get_member", Method: "GET", Path: "/members/{member}"},
			{Name: "add_book", Method: "POST", Path: "/books", Body: `{"title":"{~} {~}"}`, Token: true,
				Gives: map[string]string{"book": "/id"}},
			{Name: "list_books", Method: "GET", Path: "/books", Weight: 1},
			{Name: "get_book", Method: "GET", Path: "/books/{book}"},
			{Name: "delete_book", Method: "DELETE", Path: "/books/{book}", Token: true, Weight: 1},
			{Name: "add_copy", Method: "POST", Path: "/books/{book}/copies", Token: true, Gives: map[string]string{"copy": "/copy"}},
			{Name: "get_copy", Method: "GET", Path: "/copies/{copy}"},
			{Name: "borrow", Method: "POST", Path: "/loans", Body: `{"copy":{copy}}`, Token: true,
				Gives: map[string]string{"loan": "/id"}},
			{Name: "get_loan", Method: "GET", Path: "/loans/{loan}", Token: true},
			{Name: "give_back", Method: "DELETE", Path: "/loans/{loan}", Token: true, Weight: 2},
		},
	}
}

// JSONServerAPI is json-server's, over testdata/real/json-server.json.
func JSONServerAPI() *API {
	return &API{
		Seeds: map[string][]string{"post": {"1", "2", "3"}, "comment": {"1", "2", "3"}},
		Operations: []Operation{
			{Name: "make_post", Method: "POST", Path: "/posts", Body: `{"title":"{~} {~}","author":"{~}","views":{#}}`,
				Gives: map[string]string{"post": "/id"}},
			{Name: "make_named_post", Method: "POST", Path: "/posts", Body: `{"id":"{+slug}","title":"{~}","author":"{~}"}`,
				Weight: 2, Gives: map[string]string{"post": "=slug", "slug": "=slug"}},
			{Name: "get_post", Method: "GET", Path: "/posts/{post}"},
			{Name: "find_posts", Method: "GET", Path: "/posts?author={~}", Weight: 2},
			{Name: "put_post", Method: "PUT", Path: "/posts/{post}", Body: `{"title":"{~}","author":"{~}","views":{#}0}`},
			{Name: "change_post", Method: "PATCH", Path: "/posts/{post}", Body: `{"views":{#}00}`},
			{Name: "delete_post", Method: "DELETE", Path: "/posts/{post}", Weight: 2},
			{Name: "make_comment", Method: "POST", Path: "/posts/{post}/comments", Body: `{"body":"{~} {~}"}`,
				Gives: map[string]string{"comment": "/id"}},
			{Name: "make_other_comment", Method: "POST", Path: "/comments", Body: `{"postId":{post},"body":"{~} {~}"}`,
				Weight: 1, Gives: map[string]string{"comment": "/id"}},
			{Name: "list_comments", Method: "GET", Path: "/posts/{post}/comments", Weight: 3},
			{Name: "get_comment", Method: "GET", Path: "/comments/{comment}?_expand=post"},
			{Name: "change_comment", Method: "PATCH", Path: "/comments/{comment}", Body: `{"body":"{~}"}`, Weight: 3},
			{Name: "delete_comment", Method: "DELETE", Path: "/comments/{comment}", Weight: 2},
			{Name: "change_profile", Method: "PATCH", Path: "/profile", Body: `{"motto":"{~}"}`, Weight: 1},
			{Name: "get_profile", Method: "GET", Path: "/profile", Weight: 1},
		},
	}
}

// PocketBaseAPI is PocketBase's, with the collections of testdata/real/pocketbase.mjs.
func PocketBaseAPI() *API {
	password := `"password":"password-{user}"`
	records := func(of string) string { return "/api/collections/" + of + "/records" }
	return &API{
		First: []string{"sign_up", "sign_up", "sign_up"},
		Logins: []Operation{{Name: "log_in", Method: "POST", Path: "/api/collections/users/auth-with-password",
			Body:  `{"identity":"{user}@example.com",` + password + `}`,
			Gives: map[string]string{"token": "/token", "me": "/record/id"}}},
		Operations: []Operation{
			{Name: "sign_up", Method: "POST", Path: records("users"), Weight: 1,
				Body:  `{"email":"{+user}@example.com",` + password + `,"passwordConfirm":"password-{user}","name":"{~}"}`,
				Gives: map[string]string{"user": "=user", "person": "/id"}},
			{Name: "get_user", Method: "GET", Path: records("users") + "/{person}", Weight: 2},
			{Name: "write_post", Method: "POST", Path: records("posts"), Token: true, Weight: 6,
				Body: `{"title":"{~} {~}","views":{#},"author":"{me}"}`, Gives: map[string]string{"post": "/id"}},
			{Name: "get_post", Method: "GET", Path: records("posts") + "/{post}"},
			{Name: "change_post", Method: "PATCH", Path: records("posts") + "/{post}", Body: `{"views":{#}0}`, Token: true},
			{Name: "delete_post", Method: "DELETE", Path: records("posts") + "/{post}", Token: true, Weight: 2},
			{Name: "find_posts", Method: "GET", Path: records("posts") + "?filter=(author='{person}')", Weight: 2},
			{Name: "comment", Method: "POST", Path: records("comments"), Token: true,
				Body: `{"text":"{~} {~}","post":"{post}","author":"{me}"}`, Gives: map[string]string{"comment": "/id"}},
			{Name: "get_comment", Method: "GET", Path: records("comments") + "/{comment}?expand=post"},
			{Name: "delete_comment", Method: "DELETE", Path: records("comments") + "/{comment}", Token: true, Weight: 2},
		},
	}
}
