package history

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// head is the end of a stream.
type head struct {
	account  journal.AccountID
	number   int64
	owner    journal.PublicID
	changes  int64
	hash     Hash
	last     int64 // the position of its last change
	at       time.Time
	position int64 // the last one in all streams; in the user's own stream only
	followed bool  // in the user's own stream only; see SetFollowed
}

// heads are the ends of the user's own stream and of an account's.
type heads struct{ own, account *head }

func scanHead(row db.Scanner) (h head, err error) {
	var hash []byte
	err = row.Scan(&h.account, &h.number, &h.owner, &h.changes, &hash, &h.last, db.Instant(&h.at), &h.position, &h.followed)
	copy(h.hash[:], hash)
	return h, err
}

const selectHeads = `SELECT account_id, number, owner, changes, hash, last, at, position, followed FROM history_streams`

// readHeads reads the ends of the user's own stream and an account's, if they exist.
func readHeads(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, lock string) (found heads, err error) {
	list, err := db.List(ctx, tx, scanHead,
		selectHeads+` WHERE user_id = $1 AND account_id IN ('', $2) ORDER BY account_id`+lock, owner, account)
	for i := range list {
		if h := &list[i]; h.account == "" {
			found.own = h
		} else {
			found.account = h
		}
	}
	return found, err
}

// lockHeads reads the ends of both streams with a lock, which orders the user's changes, and
// creates missing ones.
func (s *sealing) lockHeads(ctx context.Context) (heads, error) {
	for {
		found, err := readHeads(ctx, s.tx, s.owner, s.account, s.tx.Lock())
		switch {
		case err != nil:
			return heads{}, err
		case found.own == nil:
			err = s.createOwn(ctx)
		case found.account == nil && s.account != "":
			err = s.createAccount(ctx, found.own)
		default:
			return found, nil
		}
		if err != nil {
			return heads{}, err
		}
	}
}

const insertHead = `INSERT INTO history_streams (user_id, account_id, number, owner, changes, hash, last, at, position, followed)
	VALUES ($1, $2, $3, $4, 0, $5, 0, 0, 0, FALSE) ON CONFLICT (user_id, account_id) DO NOTHING`

func (s *sealing) createOwn(ctx context.Context) error {
	id, err := s.publicID(ctx, s.tx, s.owner)
	if err != nil {
		return fmt.Errorf("reading the public id of user %d: %w", s.owner, err)
	}
	_, err = s.tx.Exec(ctx, insertHead, s.owner, "", 0, id, make([]byte, sha256.Size))
	return err
}

// createAccount creates an account's stream. The caller has locked the user's own.
func (s *sealing) createAccount(ctx context.Context, own *head) error {
	var number int64
	err := s.tx.QueryRow(ctx, `SELECT COALESCE(MAX(number), 0) + 1 FROM history_streams WHERE user_id = $1`, s.owner).Scan(&number)
	if err != nil {
		return err
	}
	_, err = s.tx.Exec(ctx, insertHead, s.owner, s.account, number, own.owner, make([]byte, sha256.Size))
	return err
}

// sealing is a change on its way into the history.
type sealing struct {
	*Service
	*collector
	tx      *db.Tx
	account journal.AccountID // the stream; empty for the user's own
	heads
	header  header
	content content
	block   []byte
	// expires is whether an undo needs what is kept for some time only.
	expires bool
}

// seal writes a transaction's change. It is the last step before the commit: the user's
// changes are ordered by the lock that it takes.
func (s *Service) seal(ctx context.Context, tx *db.Tx) error {
	c, ok := tx.Attached().(*collector)
	if !ok {
		return nil
	}
	if c.objects = c.finish(); len(c.objects) == 0 {
		return nil
	}
	if err := s.FindLabels(ctx, tx); err != nil {
		return fmt.Errorf("recording a change: %w", err)
	}
	change := &sealing{Service: s, collector: c, tx: tx, account: streamOf(c.objects)}
	if err := change.fill(ctx); err != nil {
		return fmt.Errorf("recording a change: %w", err)
	}
	if err := change.write(ctx); err != nil {
		return fmt.Errorf("recording a change: %w", err)
	}
	if err := change.callFollower(ctx); err != nil {
		return fmt.Errorf("following a change: %w", err)
	}
	tx.AfterCommit(s.changed)
	if outcome := outcomeOf(ctx); outcome != nil {
		id := change.header.id
		tx.AfterCommit(func() { outcome.Change, outcome.Count = id, outcome.Count+1 })
	}
	return nil
}

// callFollower calls the follower, if the user has one.
func (s *sealing) callFollower(ctx context.Context) error {
	if s.followed != nil {
		err := s.tx.Queue(ctx, `UPDATE history_streams SET followed = $1 WHERE user_id = $2 AND account_id = ''`, *s.followed, s.owner)
		if err != nil {
			return err
		}
	}
	if s.follow == nil || !s.own.followed {
		return nil
	}
	return s.follow(ctx, s.tx, &Written{
		Owner: s.owner, At: s.header.at, Objects: s.content.objects, Facts: s.facts, IsUndo: s.Undoes != 0,
	})
}

// FindLabels adds the labels of objects that the transaction has recorded without one. The
// end of the transaction does so, too, but then deleted records are gone.
func (s *Service) FindLabels(ctx context.Context, tx *db.Tx) error {
	c, ok := tx.Attached().(*collector)
	if !ok {
		return nil
	}
	for kind, find := range s.labels {
		var ids []string
		for _, o := range c.objects {
			if o.Type == kind && o.Label == "" {
				ids = append(ids, o.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		labels, err := find(ctx, tx, c.owner, ids)
		if err != nil {
			return err
		}
		for i := range c.objects {
			if o := &c.objects[i]; o.Type == kind && o.Label == "" {
				o.Label = labels[o.ID]
			}
		}
	}
	return nil
}

// streamOf returns the account to which all objects belong, or none.
func streamOf(objects []Object) journal.AccountID {
	account := objects[0].Account
	if slices.ContainsFunc(objects, func(o Object) bool { return o.Account != account }) {
		return ""
	}
	return account
}

// fill computes the change and its hash.
func (s *sealing) fill(ctx context.Context) (err error) {
	if err := s.takePlace(ctx); err != nil {
		return err
	}
	stream := s.stream()
	at := s.clock().UTC().Truncate(time.Microsecond)
	if at.Before(s.own.at) {
		at = s.own.at
	}
	position := s.own.position + 1
	s.content = content{summary: s.Summary, objects: s.collector.objects}
	if s.content.summary == "" {
		s.content.summary = summarize(s.content.objects)
	}
	if s.Action == "" {
		s.Action = inferAction(s.content.objects)
	}
	tag := journal.IDTag(s.own.owner)
	s.header = header{
		owner: s.own.owner, account: s.account, seq: stream.changes + 1, id: journal.PackID[journal.ChangeID](db.Micros(at), tag, position), at: at,
		actor: s.actor(ctx), action: s.Action, total: len(s.content.objects), objects: headerObjects(s.content.objects),
	}
	if s.Undoes != 0 {
		if s.header.undoes, err = s.idAt(ctx, s.tx, s.owner, s.own.owner, s.Undoes); err != nil {
			return err
		}
	}
	return s.keepBlock()
}

func (s *sealing) actor(ctx context.Context) Actor {
	if s.Actor != nil {
		return *s.Actor
	}
	return actorOf(ctx)
}

// takePlace finds the change's place in the user's order.
func (s *sealing) takePlace(ctx context.Context) (err error) {
	if s.expected && !s.tx.IsRepeated() {
		// Without a lock: if another change takes the place first, the INSERT fails and the
		// transaction runs again.
		s.heads, err = readHeads(ctx, s.tx, s.owner, s.account, "")
		if err != nil || s.own != nil && (s.account == "" || s.heads.account != nil) {
			return err
		}
	}
	s.heads, err = s.lockHeads(ctx)
	return err
}

// stream returns the end of the change's stream.
func (s *sealing) stream() *head {
	if s.account == "" {
		return s.own
	}
	return s.heads.account
}

// keepBlock closes the kept block, with deleted objects and long texts.
func (s *sealing) keepBlock() (err error) {
	var kept []Object
	for i := range s.content.objects {
		o := &s.content.objects[i]
		if o.Action == Deleted {
			kept = append(kept, *o)
		} else if long, isLong := o.shorten(); isLong {
			kept = append(kept, long)
		}
	}
	if s.expires = s.collector.block != nil || len(kept) > 0; !s.expires || s.kept == 0 {
		return nil
	}
	if s.collector.block == nil {
		s.collector.block = newBlockWriter()
	}
	if s.block, err = s.collector.block.finish(kept); err != nil {
		return err
	}
	sum := sha256.Sum256(s.block)
	s.content.kept = &keptBlock{Bytes: int64(len(s.block)), SHA256: Hash(sum).String()}
	return nil
}

// write writes the change's rows.
func (s *sealing) write(ctx context.Context) error {
	canonical := s.content.appendTo(nil)
	stream := s.stream()
	hash := chain(stream.hash, s.header.appendTo(nil), sha256.Sum256(canonical))
	position := s.own.position + 1
	if err := s.updateHeads(ctx, hash, position); err != nil {
		return err
	}
	var expires, undoes, accounts any
	if s.expires {
		expires = db.Micros(s.header.at.Add(s.kept))
	}
	if s.Undoes != 0 {
		undoes = s.Undoes
		if err := s.tx.Queue(ctx, `UPDATE history_changes SET undone_by = $1 WHERE user_id = $2 AND position = $3`, position, s.owner, s.Undoes); err != nil {
			return err
		}
	}
	numbers, err := s.objectStreams(ctx)
	if err != nil {
		return err
	}
	if numbers != nil {
		accounts = numbers
	}
	err = s.tx.Queue(ctx, `INSERT INTO history_changes (user_id, position, stream, seq, previous, at, action, actor_kind, types, objects,
			actor_id, actor_name, hash, content, undoes, expires_at, accounts)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		s.owner, position, stream.number, s.header.seq, stream.last, db.Micros(s.header.at), slices.Index(actions, s.header.action),
		slices.Index(actorKinds, s.header.actor.Kind), typeBits(s.content.objects), len(s.content.objects),
		s.header.actor.ID, s.header.actor.Name, hash[:], compress(canonical), undoes, expires, accounts)
	if err != nil {
		return err
	}
	if err := s.writeKeys(ctx, position); err != nil {
		return err
	}
	return s.writeBlock(ctx, position)
}

// updateHeads moves the ends of the streams. The user's own comes first: its lock orders
// changes that read it without one.
func (s *sealing) updateHeads(ctx context.Context, hash Hash, position int64) error {
	at := db.Micros(s.header.at)
	if s.account == "" {
		return s.tx.Queue(ctx, `UPDATE history_streams SET changes = changes + 1, hash = $1, last = $2, position = $2, at = $3
			WHERE user_id = $4 AND account_id = ''`, hash[:], position, at, s.owner)
	}
	err := s.tx.Queue(ctx, `UPDATE history_streams SET position = $1, at = $2 WHERE user_id = $3 AND account_id = ''`, position, at, s.owner)
	if err != nil {
		return err
	}
	return s.tx.Queue(ctx, `UPDATE history_streams SET changes = changes + 1, hash = $1, last = $2, at = $3
		WHERE user_id = $4 AND account_id = $5`, hash[:], position, at, s.owner, s.account)
}

// objectStreams returns the stream numbers of a change's objects, as varints, if the change
// is in the user's own stream and an object is an account's. Streams that do not exist yet
// are created.
func (s *sealing) objectStreams(ctx context.Context) ([]byte, error) {
	if s.account != "" || !slices.ContainsFunc(s.content.objects, func(o Object) bool { return o.seenIn() != "" }) {
		return nil, nil
	}
	numbers := map[journal.AccountID]int64{"": 0, AllAccounts: hiddenStream}
	var list []byte
	for i := range s.content.objects {
		account := s.content.objects[i].seenIn()
		if _, known := numbers[account]; !known {
			number, err := s.streamNumber(ctx, account)
			if err != nil {
				return nil, err
			}
			numbers[account] = number
		}
		list = binary.AppendUvarint(list, uint64(numbers[account]))
	}
	return list, nil
}

// streamNumber returns the number of an account's stream.
func (s *sealing) streamNumber(ctx context.Context, account journal.AccountID) (number int64, err error) {
	query := func() error {
		return s.tx.QueryRow(ctx, `SELECT number FROM history_streams WHERE user_id = $1 AND account_id = $2`, s.owner, account).Scan(&number)
	}
	if err := query(); !errors.Is(err, db.ErrNoRows) {
		return number, err
	}
	other := &sealing{Service: s.Service, collector: s.collector, tx: s.tx, account: account}
	if err := other.createAccount(ctx, s.own); err != nil {
		return 0, err
	}
	return number, query()
}

// typeBits returns the types of objects as bits.
func typeBits(objects []Object) (set int64) {
	for i := range objects {
		set |= 1 << slices.Index(types, objects[i].Type)
	}
	return set
}

// writeKeys makes the change part of its objects' histories, and of the accounts' if it is
// in the user's own stream.
func (s *sealing) writeKeys(ctx context.Context, position int64) error {
	keys := map[int64]bool{}
	for i := range s.content.objects {
		o := &s.content.objects[i]
		keys[Key{o.Type, o.ID}.hash()] = true
		for _, related := range o.Related {
			keys[related.hash()] = true
		}
		if s.account == "" && o.seenIn() != "" && o.seenIn() != AllAccounts {
			keys[accountKey(o.seenIn()).hash()] = true
		}
	}
	rows := make([][]any, 0, len(keys))
	for key := range keys {
		rows = append(rows, []any{s.owner, key, position})
	}
	return s.tx.QueueRows(ctx, "history_objects", []string{"user_id", "key", "position"}, "ON CONFLICT DO NOTHING", rows)
}

// accountKey is the key by which changes in the user's own stream are found that have objects
// of an account.
func accountKey(account journal.AccountID) Key { return Key{"account's", string(account)} }

// writeBlock writes the kept block in parts.
func (s *sealing) writeBlock(ctx context.Context, position int64) error {
	part := 0
	for data := range slices.Chunk(s.block, blockPart) {
		_, err := s.tx.Exec(ctx, `INSERT INTO history_blocks (user_id, position, part, data) VALUES ($1, $2, $3, $4)`,
			s.owner, position, part, data)
		if err != nil {
			return err
		}
		part++
	}
	return nil
}

// idAt returns the id of the change at a position.
func (s *Service) idAt(ctx context.Context, tx *db.Tx, owner journal.UserID, public journal.PublicID, position int64) (journal.ChangeID, error) {
	var at int64
	err := tx.QueryRow(ctx, `SELECT at FROM history_changes WHERE user_id = $1 AND position = $2`, owner, position).Scan(&at)
	return journal.PackID[journal.ChangeID](at, journal.IDTag(public), position), err
}
