// Package limits lists how many records of each kind a user can have. The limits are far
// above normal use; they bound what a hostile user can make the server read. Every
// function creating a record checks its limit.
package limits

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Limit is the limit for one record kind.
type Limit struct {
	// Records is the plural record name.
	Records string
	// Max is the maximum per user, or with PerAccount per account.
	Max        int
	PerAccount bool
	// Then is what happens above the limit, if the record is not refused.
	Then string
}

// The limits.
var (
	Accounts         = Limit{Records: "accounts", Max: 1000}
	Executions       = Limit{Records: "executions (deleted ones included)", Max: 20_000_000, PerAccount: true}
	Cash             = Limit{Records: "cash transactions", Max: 500_000, PerAccount: true}
	Overrides        = Limit{Records: "instrument overrides", Max: 1000, PerAccount: true}
	DeletedFills     = Limit{Records: "deleted executions that imports leave out", Max: 10_000, PerAccount: true, Then: "the oldest are forgotten"}
	DeletedCash      = Limit{Records: "deleted cash transactions that imports leave out", Max: 10_000, PerAccount: true, Then: "the oldest are forgotten"}
	Orphans          = Limit{Records: "orphaned annotations", Max: 10_000, Then: "a restore leaves out more; those of lost trades are always kept"}
	Tags             = Limit{Records: "tags", Max: 5000}
	Setups           = Limit{Records: "setups", Max: 2000}
	Notes            = Limit{Records: "notes", Max: 50_000}
	NoteBytes        = Limit{Records: "bytes of notes", Max: 256 << 20}
	CorporateActions = Limit{Records: "corporate actions", Max: 5000}
	NoteTemplates    = Limit{Records: "note templates", Max: 200}
	MissedTrades     = Limit{Records: "missed trades", Max: 20_000}
	Views            = Limit{Records: "views", Max: 200}
	Strategies       = Limit{Records: "strategies that you accepted, made or annotated", Max: 100_000}
	Rates            = Limit{Records: "typed exchange rates", Max: 20_000}
	Programs         = Limit{Records: "prop programs", Max: 500}
	Enrollments      = Limit{Records: "enrollments (ended ones included)", Max: 500}
	TradingRules     = Limit{Records: "trading rules (ended ones included)", Max: 500}
	Goals            = Limit{Records: "goals", Max: 200}
	Alerts           = Limit{Records: "alerts", Max: 2000, Then: "the oldest are forgotten"}
	RoutineItems     = Limit{Records: "routine items (ended ones included)", Max: 5000}
	RoutineTicks     = Limit{Records: "routine ticks", Max: 500_000}
	ImportKinds      = Limit{Records: "kinds of words", Max: 2000}
	ImportLayouts    = Limit{Records: "layouts of files", Max: 100, Then: "the one that was used longest ago is forgotten; a restore leaves out more"}
	ImportBatches    = Limit{Records: "imports", Max: 100_000, Then: "the oldest that failed or were reversed are forgotten"}
	BarImports       = Limit{Records: "imports of bars", Max: 100_000, Then: "the oldest that were reversed are forgotten"}
	BarAliases       = Limit{Records: "bar aliases", Max: 1000}
	BarSources       = Limit{Records: "price providers", Max: 50}
	Connections      = Limit{Records: "connections", Max: 200}
	Hooks            = Limit{Records: "hooks", Max: 50}
	Channels         = Limit{Records: "channels", Max: 50}
	ShareLinks       = Limit{Records: "share links", Max: 1000}
	AccessTokens     = Limit{Records: "access tokens", Max: 1000}
	Sessions         = Limit{Records: "sessions", Max: 200, Then: "the one that was used longest ago ends"}
)

// All returns every limit, in documentation order.
func All() []Limit {
	return []Limit{
		Accounts, Executions, Cash, CorporateActions, Overrides, DeletedFills, DeletedCash, Orphans, Tags, Setups, Notes, NoteBytes, NoteTemplates, MissedTrades, Views, Rates, Strategies,
		TradingRules, Goals, Programs, Enrollments, Alerts,
		RoutineItems, RoutineTicks, ImportKinds, ImportLayouts, ImportBatches, BarImports, BarAliases, BarSources, Connections, Hooks, Channels, ShareLinks,
		AccessTokens, Sessions,
	}
}

// Reached returns the refusal for a record above the limit.
func (l Limit) Reached() error {
	return journal.Conflict("There are already %d %s. Delete one first.", l.Max, l.Records)
}

// Room returns how many more records the owner can have. count is a query for the number
// of stored ones, with the owner as its only argument. It runs inside a transaction. Two
// concurrent writers may both be let in.
func (l Limit) Room(ctx context.Context, tx *db.Tx, owner journal.UserID, count string) (int, error) {
	var stored int
	err := tx.QueryRow(ctx, count, owner).Scan(&stored)
	return max(0, l.Max-stored), err
}

// Check refuses one more record if the owner has no room for it; see [Limit.Room].
func (l Limit) Check(ctx context.Context, tx *db.Tx, owner journal.UserID, count string) error {
	room, err := l.Room(ctx, tx, owner, count)
	if err == nil && room == 0 {
		return l.Reached()
	}
	return err
}
