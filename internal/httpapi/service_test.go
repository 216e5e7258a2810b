package httpapi_test

import (
	"net/http"
	"testing"
)

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, path := range []string{"//healthz", "//readyz"} {
			got := w.anonymous().get(path).want(http.StatusOK)
			if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: headers %v", path, got.header)
			}
		}
		w.api.Drain()
		w.anonymous().get("//readyz").wantError(http.StatusServiceUnavailable, "unavailable").wantShape()
		w.anonymous().get("//healthz").want(http.StatusOK)
		w.anonymous().get("/setup/status").want(http.StatusOK) // what still comes is served
	})
}

// TestPageIsServedOutsideTheAPI: what is not below /api belongs to the page, as
// far as it is a read.
func TestPageIsServedOutsideTheAPI(t *testing.T) {
	t.Parallel()
	page := func(s *settle) {
		s.api.Web = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the page")) })
	}
	eachWorld(t, func(t *testing.T, w *world) {
		for _, path := range []string{"//", "//trades", "//docs", "//apix", "//healthz/more"} {
			if got := w.anonymous().get(path).want(http.StatusOK); string(got.body) != "the page" {
				t.Errorf("%s: %s", path, got.body)
			}
			w.anonymous().post(path, nil).wantError(http.StatusNotFound, "not_found").wantShape()
		}
		for _, path := range []string{"/nope", "//api/", "//api/v2/x", "/"} {
			w.anonymous().get(path).wantError(http.StatusNotFound, "not_found").wantShape()
		}
		if got := w.anonymous().get("//healthz").want(http.StatusOK); string(got.body) == "the page" {
			t.Error("the page took /healthz")
		}
	}, page)
}
