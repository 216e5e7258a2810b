package transport

import (
	"net/http"
	"slices"
	"strings"
)

// Headers sets the security headers on every response. The page and the API reference set
// their own Content-Security-Policy.
func Headers(origins []string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
			if RequestOf(r.Context()).Secure {
				h.Set("Strict-Transport-Security", "max-age=31536000")
			}
			if IsAPI(r) {
				h.Set("Cache-Control", "no-store")
				h.Set("X-Robots-Tag", "noindex") // share links must not appear in search engines
				if allowOrigin(h, r, origins) {
					w.WriteHeader(http.StatusNoContent)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// IsAPI reports whether a request is for an API path, existing or not.
func IsAPI(r *http.Request) bool {
	return r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
}

// allowOrigin adds the CORS headers for an allowed origin. It reports whether
// the request was a preflight, which needs no further handling.
func allowOrigin(h http.Header, r *http.Request, origins []string) (preflight bool) {
	if len(origins) == 0 {
		return false
	}
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(origins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Link, Retry-After, X-Change-Id, X-Quota-Limit, X-Quota-Used, X-Request-Id, X-Total-Count")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	return true
}
