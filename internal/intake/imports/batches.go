package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// Status is a batch's state.
type Status string

// The statuses. Only a committed batch has rows.
const (
	Pending   Status = "pending"
	Committed Status = "committed"
	Failed    Status = "failed"
	Reversed  Status = "reversed"
)

// Origin is how an import arrived.
type Origin string

// The origins.
const (
	FromUpload     Origin = "upload"
	FromConnection Origin = "connection"
	FromHook       Origin = "hook"
	FromWatch      Origin = "watch"
	FromCLI        Origin = "cli"
)

// isAutomatic reports whether fills from the origin arrive without the user asking for
// them. They do not bring back fills deleted by the user.
func (o Origin) isAutomatic() bool { return o == FromConnection || o == FromHook || o == FromWatch }

// isFile reports whether the origin sends files, not broker records.
func (o Origin) isFile() bool { return o != FromConnection && o != FromHook }

// sourceFacts returns the facts about all fills from the origin. All files imported into
// an account are one source.
func (o Origin) sourceFacts() ledger.Facts {
	if o.isFile() {
		return ledger.FactsRecorded | ledger.Uploaded
	}
	return ledger.FactsRecorded
}

// Batch is one import.
type Batch struct {
	ID            journal.BatchID
	UserID        journal.UserID
	Account       journal.AccountID // empty for an unread backup, or for several accounts
	Source        string
	Format        string
	Broker        string
	FileName      *string
	ColumnMapping *string // as JSON
	// Kinds are the kinds for words: those sent with a pending batch, and those used for
	// reading a committed one.
	Kinds     map[string]string
	Zone      string
	DateOrder string
	SHA256    string
	RowCount  int
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time
	// Result is the commit's answer, nil before and after a reversal.
	Result *Result
	// Token is the access token used for the import; empty for a session.
	Token journal.TokenID
	// Progress is the state of a commit running in this process.
	Progress *Progress
	// Origin is how the import arrived. OriginID is its connection's or hook's id; it is
	// empty for other origins.
	Origin   Origin
	OriginID string

	ignoresActions bool // see Upload.IgnoreActions; it is not stored
}

// insertOptions returns the options with which the ledger stores the fills.
func (b *Batch) insertOptions() ledger.InsertOptions {
	return ledger.InsertOptions{Batch: b.ID, Sender: b.sender(), SkipDeleted: b.Origin.isAutomatic(), SkipWithdrawn: true}
}

// sender identifies the batch's connection or hook among the fill sources; empty for
// files.
func (b *Batch) sender() string {
	if b.Origin.isFile() {
		return ""
	}
	return Sender(b.Origin, b.OriginID)
}

// Sender returns the ledger's name for a connection or hook.
func Sender(origin Origin, id string) string { return string(origin) + " " + id }

const batchColumns = `id, user_id, account_id, source, format, broker, filename, column_mapping, kinds, source_tz, date_order,
	sha256, row_count, status, result, created_at, updated_at, token_id, origin, origin_id`

func scanBatch(row db.Scanner) (b Batch, err error) {
	var account, kinds, result, token, origin *string
	err = row.Scan(&b.ID, &b.UserID, &account, &b.Source, &b.Format, &b.Broker, &b.FileName, &b.ColumnMapping, &kinds, &b.Zone, &b.DateOrder,
		&b.SHA256, &b.RowCount, &b.Status, &result,
		db.Instant(&b.CreatedAt), db.Instant(&b.UpdatedAt), &token, &b.Origin, &origin)
	if err != nil {
		return Batch{}, err
	}
	if token != nil {
		b.Token = journal.TokenID(*token)
	}
	if origin != nil {
		b.OriginID = *origin
	}
	if account != nil {
		b.Account = journal.AccountID(*account)
	}
	if kinds != nil {
		if err := json.Unmarshal([]byte(*kinds), &b.Kinds); err != nil {
			return Batch{}, fmt.Errorf("reading the kinds of import %s: %w", b.ID, err)
		}
	}
	if result != nil {
		b.Result = &Result{}
		if err := json.Unmarshal([]byte(*result), b.Result); err != nil {
			return Batch{}, fmt.Errorf("reading the result of import %s: %w", b.ID, err)
		}
		b.Result.addMissing()
	}
	return b, nil
}

func insertBatch(ctx context.Context, tx *db.Tx, b Batch) error {
	if err := makeRoom(ctx, tx, b.UserID); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO import_batches (user_id, id, account_id, source, format, broker, filename, column_mapping,
		kinds, source_tz, date_order, sha256, row_count, status, created_at, updated_at, token_id, origin, origin_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		b.UserID, b.ID, nullText(string(b.Account)), b.Source, b.Format, b.Broker, b.FileName, b.ColumnMapping,
		b.kindsJSON(), b.Zone, b.DateOrder, b.SHA256, b.RowCount, b.Status, db.Micros(b.CreatedAt), db.Micros(b.UpdatedAt), nullText(string(b.Token)),
		b.Origin, nullText(b.OriginID))
	return err
}

// makeRoom forgets the oldest imports without rows if the owner has as many imports as
// [limits.ImportBatches] allows, and returns an error if there are none.
func makeRoom(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	room, err := limits.ImportBatches.Room(ctx, tx, owner, `SELECT COUNT(*) FROM import_batches WHERE user_id = $1`)
	if err != nil || room > 0 {
		return err
	}
	forgotten, err := tx.Exec(ctx, `DELETE FROM import_batches WHERE user_id = $1 AND id IN (
		SELECT id FROM import_batches WHERE user_id = $1 AND status IN ($2, $3) ORDER BY id LIMIT 100)`, owner, Failed, Reversed)
	if err == nil && forgotten == 0 {
		return journal.Conflict("There are already %d imports. Reverse one that you no longer need first.", limits.ImportBatches.Max)
	}
	return err
}

// kindsJSON returns the kinds as they are stored, nil for none.
func (b Batch) kindsJSON() *string {
	if len(b.Kinds) == 0 {
		return nil
	}
	text, err := json.Marshal(b.Kinds)
	if err != nil {
		panic(err) // text maps always marshal
	}
	return nullText(string(text))
}

func nullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// lockBatch reads a batch and locks its row until the transaction ends.
func lockBatch(ctx context.Context, tx *db.Tx, by identity.Principal, id journal.BatchID) (Batch, error) {
	return readBatch(ctx, tx, by, id, tx.Lock())
}

func readBatch(ctx context.Context, tx *db.Tx, by identity.Principal, id journal.BatchID, lock string) (Batch, error) {
	args := []any{by.UserID, id}
	visible := visibleBatches(ctx, by, &args)
	b, err := scanBatch(tx.QueryRow(ctx,
		`SELECT `+batchColumns+` FROM import_batches WHERE user_id = $1 AND id = $2`+visible+lock, args...))
	if errors.Is(err, db.ErrNoRows) {
		return Batch{}, journal.NotFound("import")
	}
	return b, err
}

// visibleBatches returns the condition for batches visible to a caller: an import-only
// token sees its own, and a token limited to accounts those in its accounts.
func visibleBatches(ctx context.Context, by identity.Principal, args *[]any) (condition string) {
	if by.Scope == identity.ScopeImport {
		*args = append(*args, by.TokenID)
		condition = " AND token_id = $" + strconv.Itoa(len(*args))
	}
	ids, limited := journal.AllowedAccounts(ctx)
	if !limited {
		return condition
	}
	*args = append(*args, by.TokenID) // its imports without an account are pending, or backups with its accounts
	own := " OR account_id IS NULL AND token_id = $" + strconv.Itoa(len(*args)) + ")"
	return condition + " AND (account_id IN " + db.In(args, ids) + own
}

// updateBatch stores a batch's status and commit result.
func updateBatch(ctx context.Context, tx *db.Tx, b Batch, now time.Time) error {
	var result *string
	if b.Result != nil {
		text, err := json.Marshal(b.Result)
		if err != nil {
			return fmt.Errorf("writing the result of import %s: %w", b.ID, err)
		}
		result = nullText(string(text))
	}
	_, err := tx.Exec(ctx, `UPDATE import_batches SET account_id = $1, source = $2, format = $3, broker = $4, column_mapping = $5, kinds = $6,
		source_tz = $7, date_order = $8, row_count = $9, status = $10, result = $11, updated_at = $12
		WHERE user_id = $13 AND id = $14`,
		nullText(string(b.Account)), b.Source, b.Format, b.Broker, b.ColumnMapping, b.kindsJSON(), b.Zone, b.DateOrder, b.RowCount, b.Status,
		result, db.Micros(now), b.UserID, b.ID)
	return err
}

// Batches lists at most limit imports visible to the caller (0 means all), newest first,
// after a given one or from the newest if after is empty. It also counts them all.
func (s *Service) Batches(
	ctx context.Context, by identity.Principal, after journal.BatchID, limit int,
) (list []Batch, total int, err error) {
	args := []any{by.UserID}
	condition := ` FROM import_batches WHERE user_id = $1` + visibleBatches(ctx, by, &args)
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if err := tx.QueryRow(ctx, `SELECT COUNT(*)`+condition, args...).Scan(&total); err != nil {
			return err
		}
		query, args := `SELECT `+batchColumns+condition, slices.Clone(args)
		if after != "" {
			args = append(args, after)
			query += ` AND id < $` + strconv.Itoa(len(args))
		}
		query += ` ORDER BY id DESC`
		if limit > 0 {
			args = append(args, limit)
			query += db.Limit(len(args))
		}
		list, err = db.List(ctx, tx, scanBatch, query, args...)
		return err
	})
	for i := range list {
		list[i].Progress = s.running.progress(list[i].ID)
	}
	return list, total, err
}

// ListArrived returns the newest committed imports that arrived without being asked for
// and changed after an instant, newest first. It is a step.
func ListArrived(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time, limit int) ([]Batch, error) {
	return db.List(ctx, tx, scanBatch, `SELECT `+batchColumns+` FROM import_batches
		WHERE user_id = $1 AND origin IN ($2, $3, $4) AND status = $5 AND updated_at > $6 ORDER BY updated_at DESC, id DESC`+db.Limit(7),
		owner, FromConnection, FromHook, FromWatch, Committed, db.Micros(since), limit)
}

// ListCommitted returns the committed imports that changed after an instant, the oldest
// first. It is a step.
func ListCommitted(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) ([]Batch, error) {
	return db.List(ctx, tx, scanBatch, `SELECT `+batchColumns+` FROM import_batches
		WHERE user_id = $1 AND status = $2 AND updated_at > $3 ORDER BY updated_at, id`, owner, Committed, db.Micros(since))
}

// ListFailed returns the imports that arrived without being asked for and failed after an
// instant, the oldest first. It is a step.
func ListFailed(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) ([]Batch, error) {
	return db.List(ctx, tx, scanBatch, `SELECT `+batchColumns+` FROM import_batches
		WHERE user_id = $1 AND origin IN ($2, $3, $4) AND status = $5 AND updated_at > $6 ORDER BY updated_at, id`,
		owner, FromConnection, FromHook, FromWatch, Failed, db.Micros(since))
}

// Batch returns an import visible to the caller.
func (s *Service) Batch(ctx context.Context, by identity.Principal, id journal.BatchID) (b Batch, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		b, err = readBatch(ctx, tx, by, id, "")
		return err
	})
	if err == nil {
		b.Progress = s.running.progress(id)
	}
	return b, err
}

// Reverse deletes an import's fills and cash and regroups the trades; annotations stay.
// Reversing again does nothing; a batch without rows is only marked. check, which may be
// nil, receives the stored batch and may reject the call.
func (s *Service) Reverse(ctx context.Context, by Actor, id journal.BatchID, check func(Batch) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	known, err := s.Batch(ctx, by.Principal, id)
	if err != nil {
		return err
	}
	update := s.db.Update
	if known.RowCount >= longRows {
		update = func(ctx context.Context, fn func(*db.Tx) error) error {
			return s.db.UpdateInParts(ctx, int64(by.UserID), fn)
		}
	}
	return update(ctx, func(tx *db.Tx) error {
		b, err := lockBatch(ctx, tx, by.Principal, id)
		if err == nil && check != nil {
			err = check(b)
		}
		if err != nil || b.Status == Reversed {
			return err
		}
		if err := s.ledger.DeleteFileActions(ctx, tx, by.UserID, b.Result.actionIDs()); err != nil {
			return err
		}
		history.Describe(tx, by.UserID, history.Description{
			Action: history.Reverse, Summary: "Reversed the import of " + b.label(),
		})
		_, err = s.remove(ctx, tx, by, b, nil, ledger.Removal{})
		return err
	})
}

// remove deletes an import's rows, or those of a part with its counts, and records that. It
// is a step.
func (s *Service) remove(
	ctx context.Context, tx *db.Tx, by Actor, b Batch, counts deliveryCounts, what ledger.Removal,
) (removed ledger.RemovedBatch, err error) {
	removed, err = s.ledger.RemoveBatch(ctx, tx, by.UserID, b.ID, what)
	if err != nil {
		return removed, err
	}
	after := b
	after.Status, after.Result = Reversed, nil
	if what.Part != nil {
		if err := after.subtract(ctx, tx, &b, counts, removed); err != nil {
			return removed, err
		}
	}
	recordRemoval(tx, &b, &after, what.Part, counts, removed)
	if err := updateBatch(ctx, tx, after, s.clock()); err != nil {
		return removed, err
	}
	if s.reversed != nil {
		if err := s.reversed(ctx, tx, after); err != nil {
			return removed, err
		}
	}
	return removed, s.audit(ctx, tx, by, ActionReverse, b.ID)
}

// subtract sets the state of a batch that lost a part: it stays committed while it has rows.
func (b *Batch) subtract(ctx context.Context, tx *db.Tx, before *Batch, counts deliveryCounts, removed ledger.RemovedBatch) error {
	hasRows, err := ledger.HasBatchRows(ctx, tx, b.UserID, b.ID)
	if err != nil || !hasRows {
		return err
	}
	b.Status, b.Result = Committed, before.Result
	if counts == nil { // a delivery that an older version recorded
		counts = newDeliveryCounts(0, Result{Inserted: removed.Fills, CashInserted: removed.Cash})
	}
	b.addCounts(counts, -1)
	return nil
}

// Check checks every batch in the installation: only committed ones may have rows, and
// rows must not refer to a missing batch. It changes nothing.
func Check(ctx context.Context, tx *db.Tx, report func(ledger.Problem)) error {
	places, err := ledger.BatchesWithRows(ctx, tx)
	if err != nil {
		return err
	}
	status := map[ledger.BatchRef]Status{}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var p ledger.BatchRef
		var s Status
		err := row.Scan(&p.User, &p.Batch, &s)
		status[p] = s
		return err
	}, `SELECT user_id, id, status FROM import_batches`)
	if err != nil {
		return err
	}
	for _, p := range places {
		switch found, known := status[p]; {
		case !known:
			report(ledger.Problem{User: p.User, Record: string(p.Batch), What: "rows name an import that is not there"})
		case found != Committed:
			report(ledger.Problem{User: p.User, Record: string(p.Batch), What: "an import that is " + string(found) + " has rows"})
		}
	}
	return nil
}

// waitingTime is how long a batch may stay pending.
const waitingTime = 24 * time.Hour

// Sweep marks all users' pending batches as failed if they were not finished in time.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.clock()
	return s.db.Update(ctx, func(tx *db.Tx) error {
		// The status is written out, so both engines use import_batches_pending.
		_, err := tx.Exec(ctx, `UPDATE import_batches SET status = $1, updated_at = $2 WHERE status = 'pending' AND updated_at < $3`,
			Failed, db.Micros(now), db.Micros(now.Add(-waitingTime)))
		return err
	})
}
