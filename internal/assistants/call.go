package assistants

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// call is one tool call.
type call struct {
	*Server
	ctx    context.Context
	caller identity.Principal
	tool   *tool
	now    time.Time
	zone   *time.Location
	tag    string // of the markers in text content
	lists  map[recordKind]map[string]string
	order  map[recordKind][]string
}

// refusal is an error for the model: what is wrong, and what to do.
type refusal struct {
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Field      string   `json:"field,omitzero"`
	Choices    []choice `json:"choices,omitzero"`
	RetryAfter int      `json:"retry_after,omitzero"`
}

type choice struct {
	ID string `json:"id"`
}

func (r *refusal) Error() string { return r.Message }

// invalid returns the refusal of an argument.
func invalid(field, format string, args ...any) error {
	return &refusal{Code: "bad_request", Field: field, Message: fmt.Sprintf(format, args...)}
}

// get reads from the API.
func (c *call) get(path string, query url.Values) (Response, error) {
	return c.send(Request{Method: http.MethodGet, Path: path, Query: query})
}

// send sends a request to the API. A refusal of the API becomes the tool's.
func (c *call) send(r Request) (Response, error) {
	response := c.API.Send(c.ctx, r)
	if response.Status/100 == 2 {
		return response, nil
	}
	if err := c.ctx.Err(); err != nil {
		return response, err
	}
	failed, err := decode[transport.ErrorBody](response.Body)
	if err != nil || response.Status >= http.StatusInternalServerError {
		return response, fmt.Errorf("%s %s: status %d", r.Method, r.Path, response.Status)
	}
	refused := &refusal{Code: failed.Error.Code, Message: failed.Error.Message}
	refused.Field, _ = failed.Error.Details["field"].(string)
	refused.RetryAfter, _ = strconv.Atoi(response.Header.Get("Retry-After"))
	return response, c.explain(refused)
}

// explain adds choices to a refusal, and removes texts of the journal from its message.
func (c *call) explain(r *refusal) error {
	switch r.Code {
	case "mixed_currencies":
		r.Message = "These accounts have different currencies. Choose accounts with the same currency in filter.account."
		if err := c.loadNames(accountRecords); err != nil {
			return err
		}
		for _, id := range c.order[accountRecords] {
			r.Choices = append(r.Choices, choice{id})
		}
	case "conflict":
		if r.Field == "" { // the message may quote a name
			r.Message = "This conflicts with something stored, such as a record with the same name."
		}
	}
	return r
}

// getObject reads an object from the API.
func (c *call) getObject(path string, query url.Values) (object, error) {
	return read[object](c, path, query)
}

// getObjects reads a list from the API.
func (c *call) getObjects(path string, query url.Values) ([]object, error) {
	return read[[]object](c, path, query)
}

func read[T any](c *call, path string, query url.Values) (value T, err error) {
	response, err := c.get(path, query)
	if err != nil {
		return value, err
	}
	return decode[T](response.Body)
}

// toRefusal returns an error as the model sees it; others than refusals are not described.
func toRefusal(err error) *refusal {
	var known *refusal
	var domain *journal.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded):
		return &refusal{Code: "timeout", Message: "This took longer than 20 seconds. Choose a shorter period or fewer accounts."}
	case errors.As(err, &domain) && domain.Kind != journal.KindInternal:
		refused := &refusal{Code: domain.Code, Message: domain.Message, RetryAfter: int((domain.RetryAfter + time.Second - 1) / time.Second)}
		refused.Field, _ = domain.Details["field"].(string)
		return refused
	}
	return &refusal{Code: "internal", Message: "Something went wrong in the journal. Try again later."}
}
