package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

type auditEvent struct {
	ID         string              `json:"id"`
	At         time.Time           `json:"at"`
	UserID     journal.PublicID    `json:"user_id" doc:"The user who did it; empty if no user was signed in."`
	Action     identity.Action     `json:"action" example:"login"`
	Outcome    identity.Outcome    `json:"outcome" example:"ok"`
	Credential identity.Credential `json:"credential" doc:"How the caller was authenticated: session, token, cli or empty."`
	Target     string              `json:"target" doc:"The id of the record that was changed."`
	IP         string              `json:"ip"`
	UserAgent  string              `json:"user_agent"`
	RequestID  string              `json:"request_id"`
}

func (a adminAPI) registerAuditRoutes(api *API) {
	list := adminRoute(readAdmin, http.MethodGet, "audit", "listAuditEvents", "List the security events, newest first")
	list.about = "Events are kept for 400 days. Without limit, the newest 1000 are returned."
	registerList(api, list, a.listAudit)
}

func shapeAuditEvent(e identity.AuditEvent) auditEvent {
	return auditEvent{
		ID: e.ID, At: e.At, UserID: e.Actor, Action: e.Action, Outcome: e.Outcome, Credential: e.Credential, Target: e.Target,
		IP: e.IP, UserAgent: e.UserAgent, RequestID: e.RequestID,
	}
}

func (a adminAPI) listAudit(ctx context.Context, in *Paging) (*listing[auditEvent], error) {
	size := in.pageSize()
	at, id, _, err := in.decodeTimeCursor()
	if err != nil {
		return nil, err
	}
	if size == 0 {
		in.Limit.Opt = journal.Some(maxPage)
		size = maxPage
	}
	events, total, err := a.identity.AuditPage(ctx, identity.AuditQuery{Before: identity.AuditCursor{At: at, ID: id}, Limit: size + 1})
	if err != nil {
		return nil, err
	}
	return newListing(in, events, total, shapeAuditEvent, func(e identity.AuditEvent) []string { return timeKeys(e.At, e.ID) }), nil
}
