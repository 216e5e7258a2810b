package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// undoAPI has the operation that undoes a change.
type undoAPI struct {
	undo func(ctx context.Context, owner journal.UserID, id journal.ChangeID, check func(*history.Change) error) (history.Change, error)
}

func (a undoAPI) register(api *API) {
	undo := historyRoute(writeJournal, http.MethodPost, "/{id}/undo", "undoChange", "Undo a change")
	undo.about = "All or nothing, with the ids that records had. The answer is the new change; undoing that one is the redo. " +
		"409 changed_since lists what later changes are in the way, 409 already_undone and 409 not_undoable say why it cannot be undone. " +
		"Changes to share links, hooks, connections, price sources, channels and alert settings need the scope full."
	undo.status, undo.body = http.StatusOK, transport.NoBody
	register(api, undo, a.undoChange)
}

func (a undoAPI) undoChange(ctx context.Context, in *ByID[journal.ChangeID]) (*body[historyChange], error) {
	change, err := a.undo(ctx, caller(ctx).UserID, in.ID, func(change *history.Change) error { return checkUndoScope(caller(ctx), change) })
	return answer(shapeChange(change), err)
}

// undoNeeds are the permissions for undoing changes to some types. All others need
// writeJournal, which the route requires.
var undoNeeds = map[string]permission{
	"share_link": writeLinks, "hook": writeHooks, "connection": writeConnections, "price_source": writeSources,
	"channel": useChannels, "alert_settings": writeAlertSettings,
}

// everyAccountActions are what a token limited to accounts cannot do to some types, because
// other accounts share the records; see [route.everyAccount].
var everyAccountActions = map[string]history.ObjectAction{
	"tag": history.Deleted, "setup": history.Deleted, "bar_series": history.Deleted, "bar_import": history.Updated,
}

// checkUndoScope returns an error if the caller's access token could not have made the
// change.
func checkUndoScope(caller identity.Principal, change *history.Change) error {
	if caller.Credential != identity.CredentialToken {
		return nil
	}
	for _, o := range change.Objects {
		needed := grants[cmp.Or(undoNeeds[o.Type], writeJournal)]
		if !slices.Contains(needed.scopes, caller.Scope) {
			return identity.InsufficientScope(caller.Scope, needed.scopes, "")
		}
		if caller.Accounts != nil && (needed.everyAccount || everyAccountActions[o.Type] == o.Action) {
			return needsEveryAccount()
		}
	}
	return nil
}
