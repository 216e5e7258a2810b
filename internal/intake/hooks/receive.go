package hooks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

const (
	// MaxBody is the maximum body size.
	MaxBody = 256 << 10
	// maxFills is how many fills a body can have.
	maxFills = 500
	// repeatTime is how long a body is known again.
	repeatTime = 24 * time.Hour
	// storeTime bounds the storing of a body, which continues after its sender
	// disconnects.
	storeTime = time.Minute
)

// ReadFill reads one fill's JSON. Its errors are for the user.
type ReadFill func(text []byte) (ledger.NewFill, error)

// Sender is a program that proved it has a hook's secret.
type Sender struct {
	Hook   journal.HookID
	Owner  journal.UserID
	secret string
}

// Verify returns the sender of a request to a hook. It is not found if the hook is
// unknown or the secret is not the hook's.
func (s *Service) Verify(ctx context.Context, id journal.HookID, secret string) (sender Sender, err error) {
	if !strings.HasPrefix(secret, secretPrefix) {
		return Sender{}, ErrNotFound()
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		owner, err := identity.FindTokenOwner(ctx, tx, hashSecret(secret))
		if errors.Is(err, db.ErrNoRows) {
			return ErrNotFound()
		}
		if err != nil {
			return err
		}
		sender = Sender{Hook: id, Owner: owner, secret: secret}
		_, err = sender.readHook(ctx, tx, "")
		return err
	})
	return sender, err
}

// readHook returns the sender's hook, unless its secret has been replaced.
func (s Sender) readHook(ctx context.Context, tx *db.Tx, lock string) (Hook, error) {
	hook, err := readHook(ctx, tx, s.Owner, s.Hook, lock)
	if err == nil && !bytes.Equal(hook.secretHash, hashSecret(s.secret)) {
		return Hook{}, ErrNotFound()
	}
	return hook, err
}

// Receive stores a delivery: one fill or a list of fills as JSON. It is one transaction,
// so a delivery is stored completely or, if it fails, not at all. A body received within
// repeatTime is not stored again.
func (s *Service) Receive(ctx context.Context, from Sender, body []byte, read ReadFill) (counts Counts, err error) {
	// Some senders have the secret in the message too. It must not be stored.
	body = bytes.ReplaceAll(body, []byte(from.secret), []byte("***"))
	content, err := readBody(body, read)
	if err != nil {
		return Counts{}, err
	}
	hash := sha256.Sum256(body)
	// Some senders wait for a short time only, and do not send again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		hook, err := from.readHook(ctx, tx, tx.Lock())
		if err != nil {
			return err
		}
		history.Describe(tx, from.Owner, history.Description{Actor: &history.Actor{Kind: history.ByHook, ID: string(hook.ID), Name: hook.Name}})
		now := s.clock()
		quarantined, known, err := findBody(ctx, tx, from, hash[:], now)
		if err != nil {
			return err
		}
		if known {
			counts = Counts{Skipped: content.len() - quarantined, Quarantined: quarantined}
			return s.recordDelivery(ctx, tx, from.Owner, hook, counts)
		}
		if counts, err = s.store(ctx, tx, from.Owner, &hook, content); err != nil {
			return err
		}
		if err := storeBody(ctx, tx, from, hash[:], now, counts.Quarantined); err != nil {
			return err
		}
		return s.recordDelivery(ctx, tx, from.Owner, hook, counts)
	})
	return counts, err
}

// findBody reports whether a body was received within repeatTime, and how many of its
// fills were quarantined.
func findBody(ctx context.Context, tx *db.Tx, from Sender, hash []byte, now time.Time) (quarantined int, known bool, err error) {
	err = tx.QueryRow(ctx, `SELECT quarantined FROM hook_bodies WHERE user_id = $1 AND hook_id = $2 AND hash = $3 AND received_at > $4`,
		from.Owner, from.Hook, hash, db.Micros(now.Add(-repeatTime))).Scan(&quarantined)
	if errors.Is(err, db.ErrNoRows) {
		return 0, false, nil
	}
	return quarantined, err == nil, err
}

// ForgetBodies makes a hook accept the bodies again that it received on an instant's day,
// in UTC. It runs when that day's import is reversed.
func ForgetBodies(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.HookID, at time.Time) error {
	day := at.UTC().Truncate(24 * time.Hour)
	_, err := tx.Exec(ctx, `DELETE FROM hook_bodies WHERE user_id = $1 AND hook_id = $2 AND received_at >= $3 AND received_at < $4`,
		owner, id, db.Micros(day), db.Micros(day.Add(24*time.Hour)))
	return err
}

func storeBody(ctx context.Context, tx *db.Tx, from Sender, hash []byte, now time.Time, quarantined int) error {
	_, err := tx.Exec(ctx, `INSERT INTO hook_bodies (user_id, hook_id, hash, received_at, quarantined) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id, hook_id, hash) DO UPDATE SET received_at = excluded.received_at, quarantined = excluded.quarantined`,
		from.Owner, from.Hook, hash, db.Micros(now), quarantined)
	return err
}

// recordDelivery stores the hook's import for the day and its last delivery.
func (s *Service) recordDelivery(ctx context.Context, tx *db.Tx, owner journal.UserID, hook Hook, counts Counts) error {
	_, err := tx.Exec(ctx, `UPDATE hooks SET batch_id = $1, batch_day = $2, last_at = $3, accepted = $4, skipped = $5, quarantined = $6
		WHERE user_id = $7 AND id = $8`,
		hook.batch, hook.batchDay, db.Micros(s.clock()), counts.Accepted, counts.Skipped, counts.Quarantined, owner, hook.ID)
	return err
}

// store imports the fills in a body and quarantines the others. It sets the hook's import
// for the day.
func (s *Service) store(ctx context.Context, tx *db.Tx, owner journal.UserID, hook *Hook, content content) (Counts, error) {
	counts := Counts{Quarantined: len(content.refused)}
	if err := quarantine(ctx, tx, owner, hook.ID, s.clock(), content.refused); err != nil {
		return Counts{}, err
	}
	if len(content.fills) == 0 {
		return counts, nil
	}
	if today := s.clock.Today(); hook.batchDay != today {
		hook.batch, hook.batchDay = "", today
	}
	result, err := s.imports.Deliver(ctx, tx, owner, imports.Delivery{
		Account: hook.Account, Origin: imports.FromHook, OriginID: string(hook.ID), Batch: hook.batch, Statement: toStatement(hook.Name, content.fills),
	})
	if err != nil {
		return Counts{}, err
	}
	hook.batch = result.BatchID
	counts.Accepted, counts.Skipped = result.Inserted+result.Completed, result.Skipped
	return counts, nil
}

// content is what was read from a body.
type content struct {
	fills   []ledger.NewFill
	refused []refusal
}

// refusal is a part of a body that cannot be stored.
type refusal struct {
	text   []byte
	reason string
}

func (c content) len() int { return len(c.fills) + len(c.refused) }

// readBody reads one fill or a list of fills. A body that is not JSON is one refusal.
func readBody(body []byte, read ReadFill) (c content, err error) {
	checker := ledger.NewFillChecker()
	texts, count := splitBody(body)
	if count > maxFills {
		return content{}, journal.TooLarge("A request can have at most %d fills; this one has %d. Send them in parts.", maxFills, count)
	}
	for _, text := range texts {
		fill, err := read(text)
		if err == nil {
			_, err = checker.Check(&fill)
		}
		if err != nil {
			c.refused = append(c.refused, refusal{text: text, reason: reasonOf(err)})
			continue
		}
		c.fills = append(c.fills, fill)
	}
	return c, nil
}

// splitBody returns the elements in a list body, and otherwise the body, and counts them.
// Those above maxFills are only counted. It accepts duplicate names and invalid text, so
// one bad element does not stop the others; ReadFill refuses them.
func splitBody(body []byte) (elements [][]byte, count int) {
	whole := [][]byte{body}
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if decoder.PeekKind() != '[' {
		return whole, 1
	}
	if _, err := decoder.ReadToken(); err != nil {
		return whole, 1
	}
	for ; decoder.PeekKind() != ']'; count++ {
		element, err := decoder.ReadValue()
		if err != nil {
			return whole, 1
		}
		if count < maxFills {
			elements = append(elements, element.Clone())
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		return whole, 1
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return whole, 1 // there is something after the list
	}
	return elements, count
}

// reasonOf returns an error's message for the user.
func reasonOf(err error) string {
	if refused, ok := errors.AsType[*journal.Error](err); ok {
		return refused.Message
	}
	return "The fill cannot be stored."
}

// toStatement returns the fills as a statement's, in the order in which they happened.
func toStatement(name string, fills []ledger.NewFill) *statement.Statement {
	fills = slices.Clone(fills)
	slices.SortStableFunc(fills, func(a, b ledger.NewFill) int { return a.ExecutedAt.Compare(b.ExecutedAt) })
	s := &statement.Statement{
		Broker: name, Format: statement.Executions, Source: statement.FromStatement, Zone: time.UTC.String(), Rows: len(fills),
	}
	for i, f := range fills {
		s.Fills = append(s.Fills, &statement.Fill{
			Row: i + 1, Symbol: f.Symbol, Type: f.InstrumentType, Side: f.Side, Quantity: f.Quantity, Price: f.Price,
			Fees: f.Fees, Commission: f.Commission, Multiplier: f.Multiplier, StatedPnL: f.StatedPnL, At: f.ExecutedAt, ID: f.ExternalID,
			Details: f.Details, FeesKnown: f.Facts&ledger.FeesStated != 0, CommissionKnown: f.Facts&ledger.CommissionStated != 0,
			ZeroFraction: f.Facts&ledger.ZeroFraction != 0, Kind: f.Kind, EventID: f.EventID, BasisEstimated: f.BasisEstimated,
		})
	}
	return s
}
