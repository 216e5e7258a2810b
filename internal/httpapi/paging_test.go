package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestListsOfPeopleHavePages reads each list whole and in pages: the same records in the
// same order, with a link to the next page and a total count.
func TestListsOfPeopleHavePages(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		token, secret := owner.mint(map[string]any{"name": "first"})
		for i := range 4 {
			w.clock.Advance(time.Second)
			owner.mint(map[string]any{"name": fmt.Sprint("token ", i)})
			owner.post("/admin/users", account(fmt.Sprintf("user%d@example.org", i), "password of a user")).want(http.StatusCreated)
			w.logIn(ownerEmail, ownerPassword)
			w.as(secret).with("User-Agent", fmt.Sprint("client/", i)).get("/me").want(http.StatusOK)
		}
		w.as(secret).with("User-Agent", "client/4").get("/me").want(http.StatusOK)
		w.settle()
		for path, field := range map[string]string{
			"/access-tokens": "name", "/admin/users": "email", "/me/sessions": "id", "/access-tokens/" + token + "/uses": "user_agent",
		} {
			t.Run(path, func(t *testing.T) {
				owner := owner.in(t)
				column := func(r *reply) (out []string) {
					for i := range r.count("") {
						out = append(out, r.text(fmt.Sprint(i, ".", field)))
					}
					return out
				}
				whole := owner.get(path).want(http.StatusOK)
				want := column(whole)
				if len(want) != 5 || whole.header.Get("Link") != "" {
					t.Fatalf("the whole list: %d records, Link %q", len(want), whole.header.Get("Link"))
				}
				for _, size := range []int{1, 2, 5, 1000} {
					var got []string
					pages := 0
					for next := fmt.Sprintf("%s?limit=%d", path, size); next != ""; pages++ {
						page := owner.get(next).want(http.StatusOK)
						if page.count("") > size || page.header.Get("X-Total-Count") != "5" {
							t.Fatalf("limit %d: %d records, X-Total-Count %q", size, page.count(""), page.header.Get("X-Total-Count"))
						}
						got = append(got, column(page)...)
						next = nextOf(page)
					}
					if diff := cmp.Diff(want, got); diff != "" || pages != (5+size-1)/size {
						t.Errorf("limit %d: %d pages: %s", size, pages, diff)
					}
				}
				owner.get(path + "?limit=0").wantField("limit")
				owner.get(path + "?limit=1001").wantField("limit")
				owner.get(path + "?cursor=nonsense").wantField("cursor")
			})
		}
	})
}
