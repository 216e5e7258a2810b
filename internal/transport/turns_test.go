package transport_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fillbook/internal/base/fairqueue"
	"fillbook/internal/transport"
)

// TestFullQueueRejectsRequests blocks one request in the handler.
func TestFullQueueRejectsRequests(t *testing.T) {
	t.Parallel()
	queue := fairqueue.New(fairqueue.Options{MaxActive: 1, MaxWait: time.Minute})
	inside, goOn := make(chan bool), make(chan bool)
	handler := observed(&logBuffer{}, nil, func(http.ResponseWriter, *http.Request) {
		inside <- true
		<-goOn
	}, transport.QueueRequests(queue))
	send := func() *httptest.ResponseRecorder {
		return serve(handler, httptest.NewRequest(http.MethodPost, "/", nil))
	}
	done := make(chan int)
	go func() { done <- send().Code }()
	<-inside
	refused := send()
	wantRefusal(t, refused, http.StatusServiceUnavailable, "unavailable")
	if refused.Header().Get("Retry-After") != "10" {
		t.Errorf("Retry-After %q", refused.Header().Get("Retry-After"))
	}
	close(goOn)
	if code := <-done; code != http.StatusOK {
		t.Errorf("status %d", code)
	}
	go func() { <-inside }()
	if got := send(); got.Code != http.StatusOK {
		t.Errorf("the slot was not released: %d", got.Code)
	}
}
