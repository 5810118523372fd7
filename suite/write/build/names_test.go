package build

import (
	"slices"
	"testing"
)

// A test is named by what it asks for, what sets that apart from what went well before, and what comes of it.
func TestNames(t *testing.T) {
	src := session(t,
		`POST /users {"email":"a@b.de","age":3} > 201 {"id":"k3v9qa17"}`,
		`GET /users/k3v9qa17 > 200 {"id":"k3v9qa17","age":3}`,
		`POST /users {"email":"c@b.de"} > 422 {"error":"age"}`,
		`POST /users {"email":"d@b.de","age":"x"} > 400 {"error":"age","of":"x"}`,
		`POST /users {"email":"e@b.de","age":3,"pet":"cat","hat":"red","x":1} > 400 {"error":["pet"]}`,
		`PUT /users/k3v9qa17 {"age":4} > 200 {"id":"k3v9qa17","age":4}`,
		`GET /users/k3v9qa17 > 200 {"id":"k3v9qa17","age":4,"was":3}`,
		`GET /users/k3v9qa17/orders > 200 []`,
		`DELETE /users/k3v9qa17 > 204 `,
		`GET /users/k3v9qa17 > 404 {"error":"gone"}`,
		`GET /api/v1/search?q=a > 200 {"hits":1}`,
		`GET /api/v1/search?limit=3&q=b > 200 {"hits":2}`,
		`GET / > 200 {}`,
	)
	var got []string
	for _, test := range build(t, src, Options{All: true}).Tests {
		got = append(got, test.Name)
	}
	want := []string{
		"post_users_is_201", "get_user_is_200", "post_users_without_age_is_422", "post_users_with_age_as_string_is_400",
		"post_users_with_hat_and_pet_and_1_more_is_400", "put_user_is_200", "get_user_after_put_is_200", "get_user_orders_is_200",
		"delete_user_is_204", "get_deleted_user_is_404", "get_search_is_200", "get_search_with_limit_is_200", "get_root_is_200",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
