package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// errorAnswer is a refusal as huma sends it.
type errorAnswer struct {
	status  int
	headers http.Header
	Info    transport.ErrorInfo `json:"error"`
}

func (e *errorAnswer) Error() string           { return e.Info.Message }
func (e *errorAnswer) GetStatus() int          { return e.status }
func (e *errorAnswer) GetHeaders() http.Header { return e.headers }

// toErrorAnswer converts a handler's error to an answer.
func toErrorAnswer(ctx context.Context, err error) error {
	refusal := transport.Refuse(ctx, err)
	return &errorAnswer{status: refusal.Status, headers: refusal.Headers, Info: refusal.Body.Error}
}

// explainMissing converts a write error about a deleted record: 401 if the caller was
// deleted during the request, 404 otherwise.
func (a *API) explainMissing(ctx context.Context, err error) error {
	if _, refused := errors.AsType[*journal.Error](err); refused || !errors.Is(err, db.ErrMissing) {
		return err
	}
	if _, gone := a.Identity.Me(ctx, caller(ctx).UserID); gone != nil && caller(ctx).UserID != 0 {
		return gone
	}
	return err
}

// installErrorHooks converts huma's own refusals to our form. Huma has one hook for the
// whole process, so it is set once.
var installErrorHooks = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false // an empty list is [], never null
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, causes ...error) huma.StatusError {
		background := context.Background()
		if ctx != nil {
			background = ctx.Context()
		}
		var answer *errorAnswer
		errors.As(toErrorAnswer(background, fromHuma(status, message, causes)), &answer)
		return answer
	}
	huma.NewError = func(status int, message string, causes ...error) huma.StatusError {
		return huma.NewErrorWithContext(nil, status, message, causes...)
	}
})

// fromHuma converts a huma refusal: a body of the wrong type (packed by packError), an
// invalid parameter, or a missing body.
func fromHuma(status int, message string, causes []error) error {
	if len(causes) > 0 {
		return fromDetail(causes[0])
	}
	if message == "" || status >= http.StatusInternalServerError {
		return errors.New("huma: " + message)
	}
	return journal.Invalid("%s.", strings.ToUpper(message[:1])+message[1:])
}

func fromDetail(cause error) error {
	detail, ok := errors.AsType[*huma.ErrorDetail](cause)
	if !ok {
		return cause
	}
	if detail.Location == "body" {
		return unpackError(detail.Message)
	}
	_, field, _ := strings.Cut(detail.Location, ".")
	if _, message, marked := strings.Cut(detail.Message, paramMark); marked {
		return journal.InvalidField(field, "%s", field+message)
	}
	return journal.InvalidField(field, "%s is not valid: %s.", field, detail.Message)
}

// Parameter errors have paramMark in place of the parameter name, at the start of the
// message. Huma puts words in front of it, and has the name.
const paramMark = "\x1e"

// Huma keeps only the text of an error in a body. packError puts the field in front of
// the message, and unpackError separates them.
const fieldMark = "\x1f"

func packError(err error) error {
	var known *journal.Error
	if !errors.As(err, &known) {
		return err
	}
	field, _ := known.Details["field"].(string)
	return errors.New(field + fieldMark + known.Message)
}

func unpackError(text string) error {
	field, message, packed := strings.Cut(text, fieldMark)
	if !packed || field == "" {
		return journal.Invalid("%s", strings.TrimPrefix(text, fieldMark))
	}
	return journal.InvalidField(field, "%s", message)
}
