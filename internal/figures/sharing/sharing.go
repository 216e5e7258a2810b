// Package sharing manages public links to a read-only journal summary.
//
// A link is a token with 256 random bits and a scope. The token grants access to the
// scope's aggregates, built by analytics.BuildShareView: no trade, no account, no id and,
// unless the owner allowed it, no amount nor anything to compute one from. A revoked,
// expired, mistyped or foreign link is not found, always with the same error.
package sharing

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/secrets"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/people/identity"
)

// This package's audit actions.
const (
	ActionMint   identity.Action = "share_link_mint"
	ActionRevoke identity.Action = "share_link_revoke"
)

// What a link counts as one.
const (
	UnitTrade    = "trade"
	UnitStrategy = "strategy"
)

// Scope is a link's selection. Empty fields select everything.
type Scope struct {
	Account     journal.AccountID `json:"account_id,omitempty"`
	From        *time.Time        `json:"from,omitempty"`
	To          *time.Time        `json:"to,omitempty"`
	Zone        string            `json:"tz,omitempty"`
	ShowAmounts bool              `json:"show_amounts"`
	// Currency is what amounts are converted into if Converted is set. In links made by
	// earlier versions it is a label replacing the account currency.
	Currency  string `json:"currency,omitempty"`
	Converted bool   `json:"converted,omitempty"`
	// Unit is strategy if strategies count as one; empty for trades.
	Unit  string `json:"unit,omitempty"`
	Title string `json:"title,omitempty"` // the page's heading
	Text  string `json:"text,omitempty"`  // below the heading
	// Pinned is the common currency when a link over all accounts was made. Later
	// accounts with another currency are excluded, so the amounts can still be added up.
	Pinned string `json:"pinned_currency,omitempty"`
}

// ShareView is what a link shows.
type ShareView struct {
	analytics.ShareView

	Unit  string               `json:"unit" enum:"trade,strategy" doc:"What summary and top_symbols count as one; days, months and the curve are by trade."`
	Title string               `json:"title" doc:"The heading that the owner wrote, or empty."`
	Text  string               `json:"text" doc:"The text that the owner wrote, or empty."`
	Days  []analytics.ShareDay `json:"days" doc:"The trading days, if all are in one month; else empty."`
}

// Link is a public link.
type Link struct {
	ID        journal.ShareID
	Token     string
	Scope     Scope
	CreatedAt time.Time
	ExpiresAt *time.Time
	Views     int64
}

// Service manages an installation's links. It is safe for concurrent use.
type Service struct {
	db      *db.DB
	figures *columns.Service
	keys    *secrets.Keys
	clock   journal.Clock
	views   *viewCounter
}

// New returns a Service.
func New(d *db.DB, f *columns.Service, keys *secrets.Keys, clock journal.Clock) *Service {
	return &Service{db: d, figures: f, keys: keys, clock: clock, views: newViews(d)}
}

// Close writes pending view counts.
func (s *Service) Close(ctx context.Context) error { return s.views.flush(ctx) }

// The default and the longest link lifetime in days. 0 days means no expiry.
const (
	DefaultDays = 90
	MaxDays     = 3650
)

const (
	tokenBytes = 32
	sealLabel  = "share-link"
)

// Actor is an action's user and client, for the audit.
type Actor struct {
	identity.Principal
	Client identity.Client
}

// Mint creates a link that expires after some days, or never if days is 0.
func (s *Service) Mint(ctx context.Context, by Actor, scope Scope, days int) (Link, error) {
	if days < 0 || days > MaxDays {
		return Link{}, journal.InvalidField("expires_in_days", "expires_in_days must be a whole number from 0 to %d.", MaxDays)
	}
	if err := scope.validate(); err != nil {
		return Link{}, err
	}
	if scope.Account == "" && !scope.isAllowed(ctx) {
		return Link{}, journal.InvalidField("account_id", "account_id is required: this access token is limited to some accounts.")
	}
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // it never fails
	link := Link{
		ID: journal.NewID[journal.ShareID](), Token: base64.RawURLEncoding.EncodeToString(random), Scope: scope, CreatedAt: s.clock(),
	}
	if days > 0 {
		end := link.CreatedAt.Add(time.Duration(days) * 24 * time.Hour)
		link.ExpiresAt = &end
	}
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		// Check that the scope's accounts can be added up.
		book, err := s.readSnapshot(ctx, tx, by.UserID, link.Scope, s.figures.Read)
		if err != nil {
			return err
		}
		if scope.Account == "" && !scope.Converted {
			link.Scope.Pinned = book.Capital.Currency
		}
		if err := s.insert(ctx, tx, by.UserID, link); err != nil {
			return err
		}
		linkHistory.Created(tx, by.UserID, &link)
		return identity.RecordAudit(ctx, tx, identity.NewAuditEvent(link.CreatedAt, by.Principal, by.Client, ActionMint, string(link.ID)))
	})
	return link, err
}

func (s Scope) accountIDs() []journal.AccountID {
	if s.Account == "" {
		return nil
	}
	return []journal.AccountID{s.Account}
}

// The greatest lengths of a title and a text, in characters.
const (
	maxTitle = 100
	maxText  = 1000
)

func (s *Scope) validate() (err error) {
	if err := (journal.Period{From: s.From, To: s.To}).Check(); err != nil {
		return err
	}
	if s.Zone != "" {
		if _, err := journal.ParseZone("tz", s.Zone); err != nil {
			return err
		}
	}
	if s.Currency = strings.TrimSpace(s.Currency); s.Currency != "" {
		s.Converted = true
		if s.Currency, err = journal.CleanCurrency("currency", s.Currency); err != nil {
			return err
		}
	}
	switch s.Unit {
	case "", UnitStrategy:
	case UnitTrade:
		s.Unit = ""
	default:
		return journal.InvalidField("unit", "unit must be trade or strategy.")
	}
	return s.validateTexts()
}

func (s *Scope) validateTexts() (err error) {
	if s.Title, err = journal.CleanName("title", s.Title); err != nil {
		return err
	}
	if utf8.RuneCountInString(s.Title) > maxTitle {
		return journal.InvalidField("title", "title may have at most %d characters.", maxTitle)
	}
	if s.Text, err = journal.CheckText("text", strings.TrimSpace(s.Text)); err != nil {
		return err
	}
	if utf8.RuneCountInString(s.Text) > maxText {
		return journal.InvalidField("text", "text may have at most %d characters.", maxText)
	}
	return nil
}

func (s *Service) insert(ctx context.Context, tx *db.Tx, owner journal.UserID, link Link) error {
	if err := limits.ShareLinks.Check(ctx, tx, owner, `SELECT COUNT(*) FROM share_links WHERE user_id = $1`); err != nil {
		return err
	}
	sealed, err := s.keys.Seal(sealLabel, string(link.ID), []byte(link.Token))
	if err != nil {
		return err
	}
	scope, err := json.Marshal(link.Scope)
	if err != nil {
		return fmt.Errorf("encoding the scope of a link: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO share_links (user_id, id, token_hash, token_sealed, scope, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		owner, link.ID, hashToken(link.Token), sealed, string(scope), db.Micros(link.CreatedAt), db.NullMicros(link.ExpiresAt))
	if err != nil {
		return err
	}
	return identity.AddTokenOwner(ctx, tx, hashToken(link.Token), owner, link.ExpiresAt)
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Links returns the owner's links, newest first.
func (s *Service) Links(ctx context.Context, owner journal.UserID) (list []Link, err error) {
	s.views.flushBriefly(ctx)
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list, err = db.List(ctx, tx, s.scanLink, linkColumns+` WHERE user_id = $1 ORDER BY id DESC`, owner)
		return err
	})
	return slices.DeleteFunc(list, func(l Link) bool { return !l.Scope.isAllowed(ctx) }), err
}

// isAllowed reports whether a link shows no account excluded by the context; see
// [journal.LimitAccounts]. A link without an account shows all.
func (s Scope) isAllowed(ctx context.Context) bool {
	_, limited := journal.AllowedAccounts(ctx)
	return !limited || s.Account != "" && journal.AllowsAccount(ctx, s.Account)
}

const linkColumns = `SELECT id, token_sealed, scope, created_at, expires_at, view_count FROM share_links`

func (s *Service) scanLink(row db.Scanner) (link Link, err error) {
	link, sealed, err := scanSealed(row)
	if err != nil {
		return Link{}, err
	}
	token, err := s.keys.Open(sealLabel, string(link.ID), sealed)
	if err != nil {
		return Link{}, fmt.Errorf("opening the token of link %s: %w", link.ID, err)
	}
	link.Token = string(token)
	return link, nil
}

// scanSealed reads a link without its token, which another server's secret cannot open.
func scanSealed(row db.Scanner) (link Link, sealed []byte, err error) {
	var scope string
	err = row.Scan(&link.ID, &sealed, &scope, db.Instant(&link.CreatedAt), db.NullInstant(&link.ExpiresAt), &link.Views)
	if err != nil {
		return Link{}, nil, err
	}
	err = json.Unmarshal([]byte(scope), &link.Scope)
	return link, sealed, err
}

// Revoke deletes a link. check, if not nil, is called with the stored link first
// and may return an error.
func (s *Service) Revoke(ctx context.Context, by Actor, id journal.ShareID, check func(Link) error) error {
	if check != nil {
		s.views.flushBriefly(ctx)
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if err := s.checkStored(ctx, tx, by.UserID, id, check); err != nil {
			return err
		}
		if err := s.keepLink(ctx, tx, by.UserID, id); err != nil {
			return err
		}
		err := deleteLink(ctx, tx, by.UserID, id)
		if errors.Is(err, db.ErrNoRows) {
			return ErrNotFound()
		}
		if err != nil {
			return err
		}
		return identity.RecordAudit(ctx, tx, identity.NewAuditEvent(s.clock(), by.Principal, by.Client, ActionRevoke, string(id)))
	})
}

// checkStored calls check with the stored link. Without a check nothing is read, so a
// link whose token can no longer be opened can be revoked too. A link excluded by the
// context is not found.
func (s *Service) checkStored(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ShareID, check func(Link) error) error {
	_, limited := journal.AllowedAccounts(ctx)
	if check == nil && !limited {
		return nil
	}
	link, err := s.scanLink(tx.QueryRow(ctx, linkColumns+` WHERE user_id = $1 AND id = $2`+tx.Lock(), owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return ErrNotFound()
	}
	if err != nil {
		return err
	}
	if !link.Scope.isAllowed(ctx) {
		return ErrNotFound()
	}
	if check == nil {
		return nil
	}
	return check(link)
}

// DeleteAccountLinks deletes an account's links, in the transaction deleting the account.
func DeleteAccountLinks(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	var gone []journal.ShareID
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.ShareID
		var text string
		var scope Scope
		if err := row.Scan(&id, &text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &scope); err != nil {
			return fmt.Errorf("parsing the scope of link %s: %w", id, err)
		}
		if scope.Account == account {
			gone = append(gone, id)
		}
		return nil
	}, `SELECT id, scope FROM share_links WHERE user_id = $1`, owner)
	if err != nil {
		return err
	}
	for _, id := range gone {
		if err := history.Keep(ctx, tx, owner, "share_links", `id = $2`, id); err != nil {
			return err
		}
		if err := deleteLink(ctx, tx, owner, id); err != nil {
			return err
		}
	}
	history.Contain(tx, history.Key{Type: "account", ID: string(account)}, "share_link", len(gone))
	return nil
}

// deleteLink deletes a link. It returns [db.ErrNoRows] if none.
func deleteLink(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ShareID) error {
	var hash []byte
	err := tx.QueryRow(ctx, `DELETE FROM share_links WHERE user_id = $1 AND id = $2 RETURNING token_hash`, owner, id).Scan(&hash)
	if err != nil {
		return err
	}
	return identity.DeleteTokenOwner(ctx, tx, hash)
}

// ErrNotFound returns the error for every link not to be shown.
func ErrNotFound() error { return journal.NotFound("share link") }

// Open returns a token's view, and counts it.
func (s *Service) Open(ctx context.Context, token string) (view ShareView, err error) {
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) != tokenBytes {
		return view, ErrNotFound()
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		owner, id, scope, err := s.findLink(ctx, tx, token)
		if err != nil {
			return err
		}
		if view, err = s.buildView(ctx, tx, owner, scope); err != nil {
			return err
		}
		s.views.add(owner, id)
		return nil
	})
	if journal.IsKind(err, journal.KindNotFound) || journal.IsKind(err, journal.KindInvalid) || journal.IsKind(err, journal.KindConflict) {
		// Do not reveal why the link shows nothing.
		return view, ErrNotFound()
	}
	return view, err
}

// findLink looks up a token. It is the only query without an owner:
// the token itself grants access.
func (s *Service) findLink(ctx context.Context, tx *db.Tx, token string) (owner journal.UserID, id journal.ShareID, scope Scope, err error) {
	var text string
	var expires *time.Time
	hash := hashToken(token)
	if owner, err = identity.FindTokenOwner(ctx, tx, hash); err == nil {
		err = tx.QueryRow(ctx, `SELECT id, scope, expires_at FROM share_links WHERE user_id = $1 AND token_hash = $2`, owner, hash).
			Scan(&id, &text, db.NullInstant(&expires))
	}
	switch {
	case errors.Is(err, db.ErrNoRows):
		return 0, "", scope, ErrNotFound()
	case err != nil:
		return 0, "", scope, err
	case expires != nil && !s.clock().Before(*expires):
		return 0, "", scope, ErrNotFound()
	}
	err = json.Unmarshal([]byte(text), &scope)
	return owner, id, scope, err
}

// readSnapshot reads a link's accounts: converted if the link says so, else with read.
// Missing rates are a conflict.
func (s *Service) readSnapshot(
	ctx context.Context, tx *db.Tx, owner journal.UserID, scope Scope,
	read func(context.Context, *db.Tx, journal.UserID, []journal.AccountID) (*columns.Snapshot, error),
) (*columns.Snapshot, error) {
	if !scope.Converted {
		return read(ctx, tx, owner, scope.accountIDs())
	}
	book, converter, err := s.figures.ReadConverted(ctx, tx, owner, columns.ConvertQuery{
		Accounts: scope.accountIDs(), Currency: scope.Currency, Now: s.clock(),
	})
	if err != nil {
		return nil, err
	}
	book.RequireRates(scope.filter(), true)
	return book, converter.Err()
}

// filter returns the filter of the scope's period.
func (s Scope) filter() analytics.Filter {
	return analytics.Filter{Period: journal.Period{From: s.From, To: s.To}}
}

func (s *Service) buildView(ctx context.Context, tx *db.Tx, owner journal.UserID, scope Scope) (ShareView, error) {
	read := s.figures.Read
	if scope.Account == "" {
		read = func(ctx context.Context, tx *db.Tx, owner journal.UserID, _ []journal.AccountID) (*columns.Snapshot, error) {
			return s.figures.ReadCurrency(ctx, tx, owner, scope.Pinned)
		}
	}
	book, err := s.readSnapshot(ctx, tx, owner, scope, read)
	if err != nil {
		return ShareView{}, err
	}
	zone := time.UTC
	if scope.Zone != "" {
		if zone, err = journal.ParseZone("tz", scope.Zone); err != nil {
			return ShareView{}, err
		}
	}
	currency := cmp.Or(scope.Currency, scope.Pinned, book.Capital.Currency)
	question, err := json.Marshal(scope)
	if err != nil {
		return ShareView{}, err
	}
	units := book
	if scope.Unit == UnitStrategy {
		if units, err = s.figures.ToUnits(ctx, tx, book); err != nil {
			return ShareView{}, err
		}
	}
	return columns.LoadOrCompute(s.figures, units, "share "+string(question), func() ShareView {
		selection := book.Select(scope.filter())
		query := analytics.ShareQuery{Zone: zone, Capital: book.Capital, Currency: currency, ShowAmounts: scope.ShowAmounts}
		if units.HasUnits {
			query.Units = units.Select(scope.filter())
		}
		return ShareView{
			Unit:      cmp.Or(scope.Unit, UnitTrade),
			ShareView: analytics.BuildShareView(selection, query), Title: scope.Title, Text: scope.Text, Days: analytics.ListShareDays(selection, query),
		}
	}), nil
}

var linkHistory = history.NewType("share_link", fields.List[Link]{
	fields.NewShown("scope", func(l *Link) any {
		text, err := json.Marshal(l.Scope)
		if err != nil {
			panic(err) // texts and instants always marshal
		}
		return string(text)
	}),
	fields.NewInstant("expires_at", func(l *Link) **time.Time { return &l.ExpiresAt }),
}, history.Of[Link]{
	ID: func(l *Link) string { return string(l.ID) }, Label: func(*Link) string { return "" },
	SeenIn: func(l *Link) journal.AccountID { return cmp.Or(l.Scope.Account, history.AllAccounts) },
})

// keepLink records a link's deletion and keeps its row.
func (s *Service) keepLink(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ShareID) error {
	link, _, err := scanSealed(tx.QueryRow(ctx, linkColumns+` WHERE user_id = $1 AND id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return ErrNotFound()
	}
	if err != nil {
		return err
	}
	linkHistory.Deleted(tx, owner, &link)
	return history.Keep(ctx, tx, owner, "share_links", `id = $2`, id)
}
