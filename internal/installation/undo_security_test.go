package installation_test

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barfetch"
)

// securityWrites are the writes that cannot be undone.
func (w *writer) securityWrites() []randomWrite {
	return []randomWrite{
		{"create access token", w.createToken},
		{"revoke access token", w.revokeToken},
		{"sign in", w.signIn},
		{"end session", w.endSession},
		{"create user", w.createUser},
		{"promote user", w.promoteUser},
		{"delete user", w.deleteUser},
		{"rotate hook", w.rotateHook},
		{"replace key", w.replaceKey},
		{"erase change", w.eraseChange},
	}
}

func (w *writer) createToken(ctx context.Context) error {
	_, _, err := w.Identity.MintAccessToken(ctx, w.caller(), identity.Client{}, identity.NewToken{Name: w.name("Token")})
	return err
}

func (w *writer) revokeToken(ctx context.Context) error {
	return w.Identity.RevokeAccessToken(ctx, w.caller(), identity.Client{}, journal.TokenID(w.pick("access_tokens")), nil)
}

func (w *writer) signIn(ctx context.Context) error {
	_, err := w.Identity.Login(ctx, identity.Client{}, annEmail, annPassword, "")
	return err
}

func (w *writer) endSession(ctx context.Context) error {
	return w.Identity.EndSession(ctx, w.caller(), identity.Client{}, journal.SessionID(w.pick("sessions")), nil)
}

func (w *writer) createUser(ctx context.Context) error {
	_, err := w.Identity.CreateUser(ctx, w.caller(), identity.Client{}, fmt.Sprintf("user%d@example.org", w.number), annPassword)
	return err
}

// pickUser returns a user besides the owner.
func (w *writer) pickUser() journal.PublicID {
	w.t.Helper()
	ids, err := db.Get(w.t.Context(), w.DB.View, func(tx *db.Tx) ([]journal.PublicID, error) {
		return db.List(w.t.Context(), tx, db.Single[journal.PublicID], `SELECT id FROM users WHERE number <> $1 ORDER BY number`, w.owner)
	})
	must(w.t, err)
	if len(ids) == 0 {
		return "00000000-0000-4000-8000-000000000000"
	}
	return ids[w.random.IntN(len(ids))]
}

func (w *writer) promoteUser(ctx context.Context) error {
	_, err := w.Identity.SetAdmin(ctx, w.caller(), identity.Client{}, w.pickUser(), w.random.IntN(2) == 0, nil)
	return err
}

func (w *writer) deleteUser(ctx context.Context) error {
	return w.DeleteUser(ctx, w.caller(), identity.Client{}, w.pickUser(), nil)
}

func (w *writer) rotateHook(ctx context.Context) error {
	id := journal.HookID(w.pick("hooks"))
	secret, err := w.Hooks.Rotate(ctx, hooks.Actor{Principal: w.caller()}, id)
	if err == nil {
		w.secrets[id] = secret
	}
	return err
}

// replaceKey replaces the key of a connection, a price source or a channel.
func (w *writer) replaceKey(ctx context.Context) error {
	key := journal.Some(map[string]string{"key": w.name("key")})
	switch w.random.IntN(3) {
	case 0:
		_, err := w.Connections.Update(ctx, connections.Actor{Principal: w.caller()}, journal.ConnectionID(w.pick("connections")), connections.Change{Credentials: key}, nil)
		return err
	case 1:
		_, err := w.BarSources.Update(ctx, w.owner, journal.BarSourceID(w.pick("bar_sources")), barfetch.Change{Credentials: key}, nil)
		return err
	}
	_, err := w.Channels.Rotate(ctx, w.owner, journal.ChannelID(w.pick("channels")))
	return err
}

func (w *writer) eraseChange(ctx context.Context) error {
	page, err := w.History.List(ctx, w.owner, history.Query{Limit: 30})
	must(w.t, err)
	return w.History.Erase(ctx, w.owner, page.Changes[w.random.IntN(len(page.Changes))].ID)
}
