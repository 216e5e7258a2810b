package httpapi

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// errorAnswer describes the body of a refusal.
type errorAnswer struct {
	Info transport.ErrorInfo `json:"error"`
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

// Parameter errors have paramMark in place of the parameter name, at the start of the
// message: their types do not have the name.
const paramMark = "\x1e"
