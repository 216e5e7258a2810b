package channels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/jobs"
)

// JobKind is the kind of the jobs that send deliveries.
const JobKind = "channel"

// State is where a delivery stands.
type State string

// The states.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"
	// Held is what quiet hours or the hourly limit hold.
	Held State = "held"
	// Dropped is what is not sent: it became part of a digest, or the channel was switched off.
	Dropped State = "dropped"
)

// Delivery is an event on its way to a channel.
type Delivery struct {
	ID       journal.DeliveryID
	Channel  journal.ChannelID
	EventID  string
	Type     EventType
	State    State
	Attempts int
	// NextAt is when it is sent or looked at again; nil for never.
	NextAt     *time.Time
	SentAt     *time.Time
	LastStatus *int
	LastError  string
	CreatedAt  time.Time

	limited, released bool
	body              string
}

var deliveryTable = fields.New("channel_deliveries",
	fields.List[Delivery]{fields.NewID("id", func(d *Delivery) *journal.DeliveryID { return &d.ID })},
	fields.List[Delivery]{
		fields.NewText("channel_id", func(d *Delivery) *journal.ChannelID { return &d.Channel }).Freeze(),
		fields.NewText("event_id", func(d *Delivery) *string { return &d.EventID }).Freeze(),
		fields.NewText("type", func(d *Delivery) *EventType { return &d.Type }).Freeze(),
		fields.NewText("state", func(d *Delivery) *State { return &d.State }),
		fields.NewInteger("attempts", func(d *Delivery) *int { return &d.Attempts }),
		fields.NewInstant("next_at", func(d *Delivery) **time.Time { return &d.NextAt }),
		fields.NewInstant("sent_at", func(d *Delivery) **time.Time { return &d.SentAt }),
		fields.NewText("last_error", func(d *Delivery) *string { return &d.LastError }),
		fields.NewFlag("limited", func(d *Delivery) *bool { return &d.limited }).Freeze(),
		fields.NewFlag("released", func(d *Delivery) *bool { return &d.released }),
		fields.NewText("body", func(d *Delivery) *string { return &d.body }).Freeze(),
		fields.NewTime("created_at", func(d *Delivery) *time.Time { return &d.CreatedAt }).Freeze(),
	},
)

const deliverySelect = `SELECT d.id, d.channel_id, d.event_id, d.type, d.state, d.attempts, d.next_at, d.sent_at, d.last_status, d.last_error,
	d.limited, d.released, d.body, d.created_at FROM channel_deliveries d`

func scanDelivery(row db.Scanner) (d Delivery, err error) {
	err = row.Scan(&d.ID, &d.Channel, &d.EventID, &d.Type, &d.State, &d.Attempts, db.NullInstant(&d.NextAt), db.NullInstant(&d.SentAt),
		&d.LastStatus, &d.LastError, &d.limited, &d.released, &d.body, db.Instant(&d.CreatedAt))
	return d, err
}

// save stores where a delivery stands.
func save(ctx context.Context, tx *db.Tx, owner journal.UserID, d *Delivery) error {
	_, err := tx.Exec(ctx, `UPDATE channel_deliveries SET state = $1, attempts = $2, next_at = $3, sent_at = $4, last_status = $5, last_error = $6,
		released = $7 WHERE user_id = $8 AND id = $9`,
		d.State, d.Attempts, db.NullMicros(d.NextAt), db.NullMicros(d.SentAt), d.LastStatus, d.LastError, d.released, owner, d.ID)
	return err
}

// dropPending drops what a channel has not sent.
func dropPending(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChannelID, reason string) error {
	_, err := tx.Exec(ctx, `UPDATE channel_deliveries SET state = $1, next_at = NULL, last_error = $2
		WHERE user_id = $3 AND channel_id = $4 AND state IN ($5, $6)`, Dropped, reason, owner, id, Pending, Held)
	return err
}

// keptTime is how long deliveries are kept, and maxBacklog how many of a channel wait.
const (
	keptTime   = 30 * 24 * time.Hour
	maxBacklog = 10_000
)

// Sweep deletes old deliveries of all users.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM channel_deliveries WHERE created_at < $1`, db.Micros(s.Clock().Add(-keptTime)))
		return err
	})
}

// Deliveries returns a channel's deliveries, the newest first.
func (s *Service) Deliveries(ctx context.Context, owner journal.UserID, id journal.ChannelID) (list []Delivery, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if _, err := read(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		list, err = db.List(ctx, tx, scanDelivery, deliverySelect+` WHERE d.user_id = $1 AND d.channel_id = $2 ORDER BY d.id DESC LIMIT 1000`, owner, id)
		return err
	})
	return list, err
}

// Replay sends a delivery again, with its id and body.
func (s *Service) Replay(ctx context.Context, owner journal.UserID, id journal.DeliveryID) (d Delivery, err error) {
	if !s.Enabled() {
		return Delivery{}, remote.Disabled()
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		d, err = scanDelivery(tx.QueryRow(ctx, deliverySelect+` WHERE d.user_id = $1 AND d.id = $2`+tx.Lock(), owner, id))
		if err != nil {
			return db.NotFound(err, "delivery")
		}
		channel, err := read(ctx, tx, owner, d.Channel, "")
		if err != nil {
			return err
		}
		if !channel.Enabled {
			return journal.Conflict("The channel is switched off. Switch it on first.")
		}
		now := s.Clock()
		// It is sent even in quiet hours: the user asks for it.
		d.State, d.Attempts, d.NextAt, d.released = Pending, 0, &now, true
		if err := save(ctx, tx, owner, &d); err != nil {
			return err
		}
		if err := jobs.Schedule(ctx, tx, jobKey(owner, d.Channel), now, ""); err != nil {
			return err
		}
		tx.AfterCommit(s.Wake)
		return nil
	})
	return d, err
}

// TestResult is how a test ended.
type TestResult struct {
	OK       bool
	Status   int
	Error    string
	Delivery journal.DeliveryID
}

// SendTest sends a test by a channel at once, also if the channel is switched off. It is not
// repeated.
func (s *Service) SendTest(ctx context.Context, owner journal.UserID, id journal.ChannelID) (TestResult, error) {
	if !s.Enabled() {
		return TestResult{}, remote.Disabled()
	}
	var values map[string]string
	var d Delivery
	var kind Kind
	err := s.DB.Update(ctx, func(tx *db.Tx) error {
		channel, err := read(ctx, tx, owner, id, "")
		if err != nil {
			return err
		}
		if err := s.checkEnable(ctx, tx, owner, channel); err != nil {
			return err
		}
		if values, err = store.Load(ctx, tx, s.Keys, owner, string(id)); err != nil {
			return err
		}
		sequence, err := nextSequence(ctx, tx, owner, "")
		if err != nil {
			return err
		}
		now := s.Clock()
		event := Event{Type: Test, At: now, Link: "/settings"}
		kind = channel.Kind
		d = Delivery{
			ID: journal.NewID[journal.DeliveryID](), Channel: id, EventID: newEventID(), Type: Test, State: Failed, CreatedAt: now, released: true,
			LastError: "interrupted", body: s.bodyFor(&channel, &event, sequence, nil),
		}
		_, err = tx.Exec(ctx, deliveryTable.Insert(), deliveryTable.Values(owner, &d)...)
		return err
	})
	if err != nil {
		return TestResult{}, err
	}
	now := s.Clock()
	result := s.senders[kind].send(ctx, values, &parcel{eventID: d.EventID, now: now, body: d.body})
	d.Attempts, d.SentAt, d.LastError, d.LastStatus = 1, &now, result.err, statusOf(result)
	if result.ok {
		d.State = Delivered
	}
	// The test has been sent, so it is recorded even if the client has left.
	ctx = context.WithoutCancel(ctx)
	err = s.DB.Update(ctx, func(tx *db.Tx) error { return save(ctx, tx, owner, &d) })
	return TestResult{OK: result.ok, Status: result.status, Error: result.err, Delivery: d.ID}, err
}

func statusOf(o outcome) *int {
	if o.status == 0 {
		return nil
	}
	return &o.status
}

// schedule are the times from an attempt to the next one.
var schedule = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// maxFailing is how long all deliveries of a channel may fail before it is switched off.
const maxFailing = 5 * 24 * time.Hour

// maxPerRun is how many deliveries one run sends before others have their turn.
const maxPerRun = 50

// Run implements [jobs.Handler]. It sends what is due by a channel, one after the other.
func (s *Service) Run(ctx context.Context, job jobs.Job) error {
	for range maxPerRun {
		more, err := s.sendNext(ctx, job)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	return s.finish(ctx, job)
}

// sendNext sends one delivery, if one is due.
func (s *Service) sendNext(ctx context.Context, job jobs.Job) (more bool, err error) {
	if !s.Enabled() {
		return false, nil
	}
	var channel Channel
	var values map[string]string
	var d *Delivery
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, job); err != nil {
			return err
		}
		d = nil
		if channel, err = read(ctx, tx, job.Owner, journal.ChannelID(job.ID), ""); err != nil {
			return err
		}
		if !channel.Enabled {
			return dropPending(ctx, tx, job.Owner, channel.ID, "the channel was switched off")
		}
		if values, err = store.Load(ctx, tx, s.Keys, job.Owner, job.ID); err != nil {
			return err
		}
		if values == nil {
			return switchOff(ctx, tx, job.Owner, channel.ID, "Its keys can't be opened with this server's secret. Enter them again and switch it on.")
		}
		if err := s.dropBacklog(ctx, tx, job.Owner, channel.ID); err != nil {
			return err
		}
		d, more, err = s.findDue(ctx, tx, job.Owner, &channel)
		return err
	})
	if journal.IsKind(err, journal.KindNotFound) {
		return false, jobs.ErrLost
	}
	if err != nil || d == nil {
		return more, err
	}
	// Another job may use the worker while the server is waited for.
	resume := jobs.Pause(ctx)
	result := s.senders[channel.Kind].send(ctx, values, &parcel{eventID: d.EventID, now: s.Clock(), body: d.body})
	if err := resume(ctx); err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return true, s.record(ctx, job, d, result)
}

// dropBacklog drops the oldest deliveries of a channel with too many.
func (s *Service) dropBacklog(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChannelID) error {
	var newest journal.DeliveryID
	err := tx.QueryRow(ctx, `SELECT id FROM channel_deliveries WHERE user_id = $1 AND channel_id = $2 AND next_at IS NOT NULL
		ORDER BY id DESC LIMIT 1 OFFSET $3`, owner, id, maxBacklog).Scan(&newest)
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE channel_deliveries SET state = $1, next_at = NULL, last_error = $2
		WHERE user_id = $3 AND channel_id = $4 AND next_at IS NOT NULL AND id <= $5`, Dropped, "too many deliveries wait", owner, id, newest)
	return err
}

// findDue returns the delivery to send now. more reports that there may be another one.
func (s *Service) findDue(ctx context.Context, tx *db.Tx, owner journal.UserID, channel *Channel) (d *Delivery, more bool, err error) {
	now := s.Clock()
	found, err := scanDelivery(tx.QueryRow(ctx, deliverySelect+` WHERE d.user_id = $1 AND d.channel_id = $2 AND d.next_at <= $3
		ORDER BY d.next_at, d.id LIMIT 1`, owner, channel.ID, db.Micros(now)))
	if errors.Is(err, db.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil || !found.limited || found.released || found.Attempts > 0 {
		return &found, true, err
	}
	limits, err := s.Limits(ctx, tx, owner)
	if err != nil {
		return nil, false, err
	}
	until, err := limits.holdUntil(now, func(since time.Time) ([]time.Time, error) { return listSent(ctx, tx, owner, channel.ID, since) })
	switch {
	case err != nil:
		return nil, false, err
	case until.After(now):
		found.State, found.NextAt = Held, &until
		return nil, true, save(ctx, tx, owner, &found)
	case found.State == Held:
		return s.release(ctx, tx, owner, channel, now)
	}
	return &found, true, nil
}

// listSent returns when limited deliveries of a channel were sent since a time, oldest first.
func listSent(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChannelID, since time.Time) ([]time.Time, error) {
	return db.List(ctx, tx, func(row db.Scanner) (at time.Time, err error) {
		err = row.Scan(db.Instant(&at))
		return at, err
	}, `SELECT sent_at FROM channel_deliveries WHERE user_id = $1 AND channel_id = $2 AND limited AND sent_at > $3 ORDER BY sent_at`,
		owner, id, db.Micros(since))
}

// holdUntil returns until when messages are held; a time that is not after now for not at
// all. sent returns when messages were sent since a time, the oldest first.
func (l Limits) holdUntil(now time.Time, sent func(since time.Time) ([]time.Time, error)) (time.Time, error) {
	if end := l.quietEnd(now); end.After(now) {
		return end, nil
	}
	if l.MaxPerHour == 0 {
		return now, nil
	}
	times, err := sent(now.Add(-time.Hour))
	if err != nil || len(times) < l.MaxPerHour {
		return now, err
	}
	return times[len(times)-l.MaxPerHour].Add(time.Hour), nil
}

// quietEnd returns the end of the quiet hours, if now is in them; else now.
func (l Limits) quietEnd(now time.Time) time.Time {
	if l.QuietFrom == "" || l.QuietFrom == l.QuietTo {
		return now
	}
	zone := l.Zone
	if zone == nil {
		zone = time.UTC
	}
	local := now.In(zone)
	clock := local.Format("15:04")
	isQuiet := clock >= l.QuietFrom && clock < l.QuietTo
	days := 0
	if l.QuietFrom > l.QuietTo { // over midnight
		isQuiet = clock >= l.QuietFrom || clock < l.QuietTo
		if clock >= l.QuietFrom {
			days = 1
		}
	}
	to, err := time.Parse("15:04", l.QuietTo)
	if !isQuiet || err != nil {
		return now
	}
	end := time.Date(local.Year(), local.Month(), local.Day()+days, to.Hour(), to.Minute(), 0, 0, zone)
	if !end.After(now) { // the clocks went back over it
		end = end.Add(time.Hour)
	}
	return end
}

// release sends what was held: one delivery as it is, several as one digest.
func (s *Service) release(ctx context.Context, tx *db.Tx, owner journal.UserID, channel *Channel, now time.Time) (*Delivery, bool, error) {
	held, err := db.List(ctx, tx, scanDelivery, deliverySelect+` WHERE d.user_id = $1 AND d.channel_id = $2 AND d.state = $3 ORDER BY d.id`,
		owner, channel.ID, Held)
	if err != nil {
		return nil, false, err
	}
	if len(held) == 1 {
		d := held[0]
		d.State, d.NextAt, d.released = Pending, &now, true
		return &d, true, save(ctx, tx, owner, &d)
	}
	sequence, err := nextSequence(ctx, tx, owner, "")
	if err != nil {
		return nil, false, err
	}
	digest := Delivery{
		ID: journal.NewID[journal.DeliveryID](), Channel: channel.ID, EventID: newEventID(), Type: AlertFired, State: Pending, NextAt: &now,
		CreatedAt: now, limited: true, released: true, body: s.digestOf(channel, held, now, sequence),
	}
	if _, err := tx.Exec(ctx, deliveryTable.Insert(), deliveryTable.Values(owner, &digest)...); err != nil {
		return nil, false, err
	}
	for i := range held {
		held[i].State, held[i].NextAt, held[i].LastError = Dropped, nil, "sent in the digest "+digest.EventID
		if err := save(ctx, tx, owner, &held[i]); err != nil {
			return nil, false, err
		}
	}
	return &digest, true, nil
}

// record stores how an attempt ended, and when the next one is due.
func (s *Service) record(ctx context.Context, job jobs.Job, d *Delivery, result outcome) error {
	now := s.Clock()
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, job); err != nil {
			return err
		}
		channel, err := read(ctx, tx, job.Owner, d.Channel, tx.Lock())
		if err != nil {
			return err
		}
		updated := *d
		updated.Attempts++
		updated.SentAt, updated.NextAt, updated.LastStatus, updated.LastError = &now, nil, statusOf(result), result.err
		switch {
		case result.ok:
			updated.State = Delivered
		case result.isGone || updated.Attempts > len(schedule):
			updated.State = Failed
		default:
			wait := schedule[updated.Attempts-1]
			wait = max(wait+jobs.Jitter(string(d.ID), wait/10), result.wait)
			next := now.Add(wait)
			updated.State, updated.NextAt = Pending, &next
		}
		if err := save(ctx, tx, job.Owner, &updated); err != nil {
			return err
		}
		return s.recordChannel(ctx, tx, job.Owner, &channel, now, result)
	})
}

// recordChannel stores since when a channel fails, and switches off one that will not work
// again.
func (s *Service) recordChannel(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Channel, now time.Time, result outcome) error {
	switch {
	case result.ok && c.FailingSince == nil:
		return nil
	case result.isGone:
		return switchOff(ctx, tx, owner, c.ID, fmt.Sprintf("The receiver answered %d: the address no longer exists.", result.status))
	case !result.ok && c.FailingSince != nil && now.Sub(*c.FailingSince) > maxFailing:
		return switchOff(ctx, tx, owner, c.ID, "All deliveries failed for five days: "+result.err+".")
	case !result.ok && c.FailingSince != nil:
		return nil
	}
	var since *time.Time
	if !result.ok {
		since = &now
	}
	_, err := tx.Exec(ctx, `UPDATE channels SET failing_since = $1 WHERE user_id = $2 AND id = $3`, db.NullMicros(since), owner, c.ID)
	return err
}

// finish ends the run. The next one is due with the next delivery.
func (s *Service) finish(ctx context.Context, job jobs.Job) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, job); err != nil {
			return err
		}
		next, err := findNext(ctx, tx, job)
		if err != nil {
			return err
		}
		now := s.Clock()
		if later := now.Add(time.Hour); next != nil && !s.Enabled() && next.Before(later) {
			next = &later
		}
		return jobs.Finish(ctx, tx, job, now, jobs.Outcome{Next: next})
	})
}

func findNext(ctx context.Context, tx *db.Tx, job jobs.Job) (next *time.Time, err error) {
	err = tx.QueryRow(ctx, `SELECT MIN(next_at) FROM channel_deliveries WHERE user_id = $1 AND channel_id = $2 AND next_at IS NOT NULL`,
		job.Owner, job.ID).Scan(db.NullInstant(&next))
	return next, err
}

// RecordFailure implements [jobs.Handler].
func (s *Service) RecordFailure(_ context.Context, _ *db.Tx, _ jobs.Job, next time.Time) (*time.Time, error) {
	return &next, nil
}

// digestEntry is an alert in a digest.
type digestEntry struct {
	Alert string `json:"alert_id"`
	Kind  string `json:"kind"`
}

// maxDigest is how many messages a digest lists.
const maxDigest = 20

// digestOf returns the body for several deliveries that were held.
func (s *Service) digestOf(channel *Channel, held []Delivery, now time.Time, sequence int64) string {
	if channel.Kind == Webhook {
		data := eventData{Sequence: sequence, Link: s.link("/"), Kind: "digest", Counts: map[string]int{"alert": len(held)}}
		for _, d := range held[:min(len(held), maxWebhookDigest)] {
			if entry, ok := readAlert(d.body); ok {
				data.Alerts = append(data.Alerts, entry)
			}
		}
		return encode(webhookBody{AlertFired, timestamp(now), data})
	}
	m := message{Title: fmt.Sprintf("%d messages", len(held)), Link: s.link("/"), Urgent: slices.ContainsFunc(held, func(d Delivery) bool { return d.Type == AlertFired })}
	for i, d := range held {
		if i == maxDigest {
			m.Text += fmt.Sprintf("and %d more\n", len(held)-i)
			break
		}
		one := (&parcel{body: d.body}).message()
		m.Text += one.Title
		if one.Text != "" {
			m.Text += ": " + one.Text
		}
		m.Text += "\n"
	}
	m.Text = m.Text[:len(m.Text)-1]
	return encode(m)
}

// maxWebhookDigest keeps bodies below 20 KB.
const maxWebhookDigest = 150
