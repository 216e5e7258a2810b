package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

type adminUser struct {
	ID          journal.PublicID `json:"id"`
	Email       string           `json:"email" format:"email"`
	IsAdmin     bool             `json:"is_admin"`
	CreatedAt   time.Time        `json:"created_at"`
	TOTPEnabled bool             `json:"totp_enabled"`
	LastSeenAt  *time.Time       `json:"last_seen_at"`
}

func shapeUser(u identity.User) adminUser {
	return adminUser{
		ID: u.PublicID, Email: u.Email, IsAdmin: u.IsAdmin, CreatedAt: u.CreatedAt, TOTPEnabled: u.TOTPEnabled, LastSeenAt: u.LastSeenAt,
	}
}

type roleChange struct {
	IsAdmin *bool `json:"is_admin"`
}

type passwordReset struct {
	Next secrets.Secret `json:"new_password"`
}

func adminRoute(needs permission, method, path, id, summary string) route {
	return route{needs: needs, method: method, path: "/admin/" + path, id: id, tag: "Admin", summary: summary, access: accessOwner}
}

// adminAPI has the operations on users, for owners, and the audit log.
type adminAPI struct {
	identity   *identity.Service
	deleteUser func(context.Context, identity.Principal, identity.Client, journal.PublicID, func(identity.User) error) error
}

func (a adminAPI) register(api *API) {
	registerList(api, adminRoute(readAdmin, http.MethodGet, "users", "listUsers", "List every user, oldest first"),
		a.listUsers)
	one := adminRoute(readAdmin, http.MethodGet, "users/{id}", "getUser", "Read one user")
	one.refusals = []int{http.StatusNotFound}
	register(api, one,
		func(ctx context.Context, in *ByID[journal.PublicID]) (*body[adminUser], error) {
			found, err := a.identity.User(ctx, in.ID)
			return answer(shapeUser(found), err)
		})
	create := adminRoute(writeAdmin, http.MethodPost, "users", "createUser", "Create a user, whether registration is open or not")
	create.status, create.body, create.limit, create.refusals = http.StatusCreated, transport.JSONBody, authBody, []int{http.StatusConflict}
	register(api, create, func(ctx context.Context, in *body[Credentials]) (*body[adminUser], error) {
		created, err := a.identity.CreateUser(ctx, caller(ctx), client(ctx), in.Body.Email, in.Body.Password)
		return answer(shapeUser(created), err)
	})
	a.registerAdminUserRoutes(api)
	a.registerAuditRoutes(api)
}

func (a adminAPI) listUsers(ctx context.Context, in *Paging) (*listing[adminUser], error) {
	var query identity.UserQuery
	var err error
	if query.After.At, query.After.ID, _, err = in.decodeTimeCursor(); err != nil {
		return nil, err
	}
	if size := in.pageSize(); size > 0 {
		query.Limit = size + 1
	}
	users, total, err := a.identity.UserPage(ctx, query)
	if err != nil {
		return nil, err
	}
	return newListing(in, users, total, shapeUser, func(u identity.User) []string { return timeKeys(u.CreatedAt, string(u.PublicID)) }), nil
}

func (a adminAPI) registerAdminUserRoutes(api *API) {
	missing := []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed}
	promote := adminRoute(writeAdmin, http.MethodPatch, "users/{id}", "setRole", "Grant or revoke the owner role")
	promote.body, promote.limit, promote.refusals = transport.JSONBody, authBody, missing
	register(api, promote, a.setRole)
	remove := adminRoute(writeAdmin, http.MethodDelete, "users/{id}", "deleteUser", "Delete a user and everything the user owns")
	remove.about, remove.refusals = "It cannot be undone.", missing
	register(api, remove, func(ctx context.Context, in *DeleteOf[journal.PublicID]) (*nothing, error) {
		check := transport.IfMatch(in.IfMatch, func(u identity.User) any { return shapeUser(u) })
		return nil, a.deleteUser(ctx, caller(ctx), client(ctx), in.ID, check)
	})
	reset := adminRoute(writeAdmin, http.MethodPost, "users/{id}/password", "resetPassword", "Set a user's password and sign the user out")
	reset.body, reset.limit, reset.refusals = transport.JSONBody, authBody, []int{http.StatusNotFound}
	register(api, reset, func(ctx context.Context, in *struct {
		ByID[journal.PublicID]
		Body passwordReset
	},
	) (*nothing, error) {
		return nil, a.identity.AdminResetPassword(ctx, caller(ctx), client(ctx), in.ID, in.Body.Next)
	})
}

func (a adminAPI) setRole(ctx context.Context, in *ChangeOf[journal.PublicID, roleChange]) (*body[adminUser], error) {
	if in.Body.IsAdmin == nil {
		return nil, journal.InvalidField("is_admin", "is_admin must be true or false.")
	}
	check := transport.IfMatch(in.IfMatch, func(u identity.User) any { return shapeUser(u) })
	changed, err := a.identity.SetAdmin(ctx, caller(ctx), client(ctx), in.ID, *in.Body.IsAdmin, check)
	return answer(shapeUser(changed), err)
}
