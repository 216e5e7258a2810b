package transport_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"fillbook/internal/transport"
)

func TestPlacesAreTakenAndGivenBack(t *testing.T) {
	bound := transport.NewAtOnce(2)
	enter := func(key string) func() {
		leave, err := bound.Enter(key)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first := enter("anna")
	enter("anna")
	if _, err := bound.Enter("anna"); err == nil {
		t.Error("a third place was given")
	}
	enter("bert")()
	first()
	enter("anna")
	if _, err := bound.Enter("anna"); err == nil {
		t.Error("more places were given back than taken")
	}
	free := transport.NewAtOnce(0)
	for range 100 {
		if _, err := free.Enter("anna"); err != nil {
			t.Fatal("no bound refuses:", err)
		}
	}
}

// TestThirdRequestIsRefused holds two requests inside the handler.
func TestThirdRequestIsRefused(t *testing.T) {
	inside, goOn := make(chan bool), make(chan bool)
	handler := observed(&logBuffer{}, nil, func(http.ResponseWriter, *http.Request) {
		inside <- true
		<-goOn
	}, transport.NewAtOnce(2).ByUser())
	send := func() *httptest.ResponseRecorder {
		return serve(handler, httptest.NewRequest(http.MethodPost, "/", nil))
	}
	done := make(chan int)
	for range 2 {
		go func() { done <- send().Code }()
		<-inside
	}
	refused := send()
	wantRefusal(t, refused, http.StatusTooManyRequests, "rate_limited")
	if refused.Header().Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", refused.Header().Get("Retry-After"))
	}
	close(goOn)
	for range 2 {
		if code := <-done; code != http.StatusOK {
			t.Errorf("status %d", code)
		}
	}
}
