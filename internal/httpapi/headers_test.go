package httpapi_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for name, got := range map[string]*reply{
			"success": owner.get("/me").want(200), "no content": owner.patch("/me/preferences", `{}`).want(204),
			"refusal": w.anonymous().get("/me").want(401), "unknown": owner.get("/nope").want(404), "method": owner.do("PUT", "/me", nil).want(405),
			"health": w.anonymous().get("//healthz").want(200), "description": w.anonymous().get("//openapi.json").want(200),
			"outside": w.anonymous().get("//nope").want(404),
		} {
			for header, want := range map[string]string{
				"X-Content-Type-Options":       "nosniff",
				"Referrer-Policy":              "no-referrer",
				"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
				"Cross-Origin-Resource-Policy": "same-origin",
				"Cross-Origin-Opener-Policy":   "same-origin",
			} {
				if value := got.header.Get(header); value != want {
					t.Errorf("%s: %s is %q, want %q", name, header, value, want)
				}
			}
			if got.header.Get("Permissions-Policy") == "" {
				t.Errorf("%s: no Permissions-Policy", name)
			}
			for _, header := range []string{"Server", "X-Powered-By", "Set-Cookie", "Access-Control-Allow-Origin"} {
				if value := got.header.Get(header); value != "" {
					t.Errorf("%s: %s is %q", name, header, value)
				}
			}
		}
	})
}

func TestTheAPIIsNeverCached(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		tag := owner.get("/me").tag()
		for name, got := range map[string]*reply{
			"success": owner.get("/me").want(200), "not modified": owner.with("If-None-Match", tag).get("/me").want(304),
			"refusal": w.anonymous().get("/me").want(401), "unknown": owner.get("/nope").want(404),
			"status": w.anonymous().get("/setup/status").want(200), "login": w.logIn(ownerEmail, ownerPassword),
		} {
			if value := got.header.Get("Cache-Control"); value != "no-store" {
				t.Errorf("%s: Cache-Control %q", name, value)
			}
		}
	})
}

func TestHSTSOnlyOverTLS(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const header = "Strict-Transport-Security"
		if got := w.anonymous().with("X-Forwarded-Proto", "https").get("/setup/status"); got.header.Get(header) != "" {
			t.Error("a stranger's header switches HSTS on")
		}
		proxy := w.anonymous().from("10.1.2.3:4")
		if got := proxy.get("/setup/status"); got.header.Get(header) != "" {
			t.Error("HSTS over plain HTTP")
		}
		if got := proxy.with("X-Forwarded-Proto", "https").get("/setup/status"); got.header.Get(header) != "max-age=31536000" {
			t.Errorf("with a trusted proxy and TLS: %q", got.header.Get(header))
		}
		request := httptest.NewRequest(http.MethodGet, "/api/v1/setup/status", nil)
		request.TLS = &tls.ConnectionState{}
		if got := w.anonymous().send(request); got.header.Get(header) != "max-age=31536000" {
			t.Errorf("with TLS here: %q", got.header.Get(header))
		}
	})
}

func TestCORSIsOffByDefault(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		page := w.anonymous().with("Origin", "https://page.example.org")
		got := page.get("/setup/status").want(200)
		preflight := page.with("Access-Control-Request-Method", "POST").do("OPTIONS", "/auth/login", nil).wantError(405, "method_not_allowed")
		for _, r := range []*reply{got, preflight} {
			for name := range r.header {
				if len(name) > 14 && name[:14] == "Access-Control" {
					t.Errorf("%s: %s: %s", r.call, name, r.header.Get(name))
				}
			}
		}
	})
}

func TestCORSMatchesExactOrigins(t *testing.T) {
	t.Parallel()
	allow := func(s *settle) { s.api.Origins = []string{"https://page.example.org", "http://localhost:5173"} }
	eachWorld(t, func(t *testing.T, w *world) {
		for origin, allowed := range map[string]bool{
			"https://page.example.org": true, "http://localhost:5173": true,
			"http://page.example.org": false, "https://page.example.org:8443": false, "https://page.example.org.evil.org": false,
			"https://evil.org": false, "null": false, "*": false, "https://PAGE.example.org": false, "": false,
		} {
			page := w.anonymous()
			if origin != "" {
				page = page.with("Origin", origin)
			}
			want := ""
			if allowed {
				want = origin
			}
			got := page.get("/me").want(401) // a page must be able to read the refusal too
			if got.header.Get("Access-Control-Allow-Origin") != want {
				t.Errorf("%q: allowed is %q", origin, got.header.Get("Access-Control-Allow-Origin"))
			}
			if got.header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%q: credentials are allowed", origin)
			}
			if got.header.Get("Vary") != "Origin" {
				t.Errorf("%q: Vary %q", origin, got.header.Get("Vary"))
			}
			preflight := page.with("Access-Control-Request-Method", "PATCH").do("OPTIONS", "/me/preferences", nil)
			if allowed {
				preflight.wantNone()
				for header, want := range map[string]string{
					"Access-Control-Allow-Origin":  origin,
					"Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
					"Access-Control-Allow-Headers": "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id",
				} {
					if value := preflight.header.Get(header); value != want {
						t.Errorf("%q: %s is %q", origin, header, value)
					}
				}
			} else {
				preflight.want(405)
			}
		}
	}, allow)
}
