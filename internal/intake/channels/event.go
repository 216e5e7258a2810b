package channels

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/jobs"
)

// EventType is what happened.
type EventType string

// The event types.
const (
	ImportCommitted EventType = "import.committed"
	ImportFailed    EventType = "import.failed"
	ImportReversed  EventType = "import.reversed"
	TradeOpened     EventType = "trade.opened"
	TradeClosed     EventType = "trade.closed"
	TradeChanged    EventType = "trade.changed"
	TradeReviewed   EventType = "trade.reviewed"
	NoteCreated     EventType = "note.created"
	DayClosed       EventType = "day.closed"
	AlertFired      EventType = "alert.fired"
	NeedsAttention  EventType = "connection.needs_attention"
	Test            EventType = "webhook.test"
)

// EventTypes returns all event types.
func EventTypes() []EventType {
	return []EventType{
		ImportCommitted, ImportFailed, ImportReversed, TradeOpened, TradeClosed, TradeChanged, TradeReviewed, NoteCreated, DayClosed,
		AlertFired, NeedsAttention, Test,
	}
}

// titles are the titles of messages.
var titles = map[EventType]string{
	ImportCommitted: "Import finished", ImportFailed: "Import failed", ImportReversed: "Import reversed",
	TradeOpened: "Trade opened", TradeClosed: "Trade closed", TradeChanged: "Trade changed", TradeReviewed: "Trade reviewed",
	NoteCreated: "Note created", DayClosed: "Trading day ended", AlertFired: "Alert", NeedsAttention: "A connection needs attention",
	Test: "Test from Fillbook",
}

// Event is what happened, with what receivers need to find it.
type Event struct {
	Type EventType
	At   time.Time
	// Account is the account that it belongs to; empty for none.
	Account    journal.AccountID
	Trade      journal.TradeID
	Note       journal.NoteID
	Batch      journal.BatchID
	Connection journal.ConnectionID
	Alert      string
	// Kind is the kind of an alert.
	Kind string
	Day  journal.Day
	// Counts are numbers of records by type.
	Counts map[string]int
	// Link is the path of a page.
	Link string
	// Title is the title of an alert without amounts, and Detail a sentence that may have
	// amounts.
	Title, Detail string
	// Channels are the ids of the only channels that receive it; nil for all that want the
	// type.
	Channels []string
}

// eventData is the member data of a webhook's body.
type eventData struct {
	Account    *journal.AccountID   `json:"account_id"`
	Sequence   int64                `json:"sequence"`
	Link       string               `json:"link"`
	Trade      journal.TradeID      `json:"trade_id,omitempty"`
	Note       journal.NoteID       `json:"note_id,omitempty"`
	Batch      journal.BatchID      `json:"import_batch_id,omitempty"`
	Connection journal.ConnectionID `json:"connection_id,omitempty"`
	Alert      string               `json:"alert_id,omitempty"`
	Kind       string               `json:"kind,omitempty"`
	Day        journal.Day          `json:"day,omitempty"`
	Counts     map[string]int       `json:"counts,omitempty"`
	Alerts     []digestEntry        `json:"alerts,omitempty"`
	*figureData
}

// figureData are a trade's values, for channels that want them.
type figureData struct {
	Symbol string          `json:"symbol"`
	Net    json.RawMessage `json:"net"`
	R      json.RawMessage `json:"r"`
}

// webhookBody is a webhook's body.
type webhookBody struct {
	Type      EventType `json:"type"`
	Timestamp string    `json:"timestamp"`
	Data      eventData `json:"data"`
}

// message is what all other kinds send.
type message struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Link  string `json:"link"`
	// Urgent is set for alerts.
	Urgent bool `json:"urgent,omitempty"`
}

// encode returns a value's JSON without escapes for HTML.
func encode(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // texts and numbers always marshal
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func timestamp(at time.Time) string {
	return at.UTC().Truncate(time.Microsecond).Format("2006-01-02T15:04:05.999999Z")
}

// link returns a path's address.
func (s *Service) link(path string) string {
	return strings.TrimRight(s.PublicURL, "/") + path
}

// outgoing is a delivery before it is stored.
type outgoing struct {
	channel *Channel
	event   *Event
	eventID string
	body    string
}

// Emit stores events for the channels that receive them. It is a step of the transaction that
// caused them. Users without channels pay one statement.
func (s *Service) Emit(ctx context.Context, tx *db.Tx, owner journal.UserID, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	all, err := ListStored(ctx, tx, owner)
	if err != nil || len(all) == 0 {
		return err
	}
	var list []outgoing
	for i := range events {
		stored, err := s.address(ctx, tx, owner, &events[i], all)
		if err != nil {
			return err
		}
		list = append(list, stored...)
	}
	return s.queue(ctx, tx, owner, list)
}

// address returns an event's deliveries to the channels that accept it. Only an event that a
// channel accepts gets a sequence number.
func (s *Service) address(ctx context.Context, tx *db.Tx, owner journal.UserID, e *Event, all []Channel) ([]outgoing, error) {
	if e.At.IsZero() {
		e.At = s.Clock()
	}
	var to []*Channel
	withFigures := false
	for i := range all {
		if c := &all[i]; c.accepts(e) {
			to = append(to, c)
			withFigures = withFigures || c.WithFigures || c.Amounts
		}
	}
	if len(to) == 0 {
		return nil, nil
	}
	sequence, err := nextSequence(ctx, tx, owner, e.Account)
	if err != nil {
		return nil, err
	}
	var figures *Figures
	if withFigures && e.Trade != "" {
		found, err := s.Figures(ctx, tx, owner, e.Trade)
		if err != nil && !journal.IsKind(err, journal.KindNotFound) {
			return nil, err
		}
		figures = &found
	}
	id := newEventID()
	list := make([]outgoing, len(to))
	for i, c := range to {
		list[i] = outgoing{channel: c, event: e, eventID: id, body: s.bodyFor(c, e, sequence, figures)}
	}
	return list, nil
}

// newEventID returns the id of an event. Ids of events have no dots, which separate what is
// signed.
func newEventID() string {
	return "evt_" + strings.ReplaceAll(string(journal.NewID[journal.DeliveryID]()), "-", "")
}

// bodyFor returns what a channel sends for an event.
func (s *Service) bodyFor(c *Channel, e *Event, sequence int64, figures *Figures) string {
	if c.Kind != Webhook {
		return encode(s.messageFor(c, e, figures))
	}
	data := eventData{
		Sequence: sequence, Link: s.link(e.Link), Trade: e.Trade, Note: e.Note, Batch: e.Batch, Connection: e.Connection,
		Alert: e.Alert, Kind: e.Kind, Day: e.Day, Counts: e.Counts,
	}
	if e.Account != "" {
		data.Account = &e.Account
	}
	if c.WithFigures && figures != nil {
		data.figureData = &figureData{Symbol: figures.Symbol, Net: json.RawMessage(figures.Net.String()), R: json.RawMessage(figures.R.String())}
	}
	return encode(webhookBody{e.Type, timestamp(e.At), data})
}

// messageFor returns an event's message. Amounts are in it only if the user wants them.
func (s *Service) messageFor(c *Channel, e *Event, figures *Figures) message {
	m := message{Title: titles[e.Type], Link: s.link(e.Link), Urgent: e.Type == AlertFired}
	var parts []string
	if e.Title != "" {
		m.Title = e.Title
	}
	if figures != nil && c.WithFigures {
		parts = append(parts, figures.Symbol)
		if figures.R.Valid {
			parts = append(parts, figures.R.Decimal.String()+" R")
		}
	}
	if figures != nil && c.Amounts && figures.Net.Valid {
		parts = append(parts, "net "+figures.Net.Decimal.String())
	}
	if e.Detail != "" && c.Amounts {
		parts = append(parts, e.Detail)
	}
	if e.Day != "" {
		parts = append(parts, string(e.Day))
	}
	for _, kind := range slices.Sorted(maps.Keys(e.Counts)) {
		parts = append(parts, fmt.Sprintf("%s: %d", strings.ReplaceAll(kind, "_", " "), e.Counts[kind]))
	}
	m.Text = strings.Join(parts, ", ")
	return m
}

// nextSequence returns the next sequence number of an account's events.
func nextSequence(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (n int64, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO channel_sequences (user_id, account_id, last, day) VALUES ($1, $2, 1, '')
		ON CONFLICT (user_id, account_id) DO UPDATE SET last = channel_sequences.last + excluded.last RETURNING last`, owner, account).Scan(&n)
	return n, err
}

var deliveryColumns = []string{
	"user_id", "id", "channel_id", "event_id", "type", "state", "attempts", "next_at", "last_error", "limited", "released", "body", "created_at",
}

// queue stores deliveries and makes the jobs of their channels due.
func (s *Service) queue(ctx context.Context, tx *db.Tx, owner journal.UserID, list []outgoing) error {
	if len(list) == 0 {
		return nil
	}
	now := s.Clock()
	due := map[journal.ChannelID]bool{}
	rows := make([][]any, len(list))
	for i, o := range list {
		isLimited := o.channel.Kind != Webhook || o.event.Type == AlertFired
		rows[i] = []any{
			owner, journal.NewID[journal.DeliveryID](), o.channel.ID, o.eventID, o.event.Type, Pending, 0, db.Micros(now), "", isLimited, false,
			o.body, db.Micros(now),
		}
		due[o.channel.ID] = true
	}
	if _, err := tx.InsertMany(ctx, "channel_deliveries", deliveryColumns, "", rows); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(due)) {
		if err := jobs.Schedule(ctx, tx, jobKey(owner, id), now, ""); err != nil {
			return err
		}
	}
	tx.AfterCommit(s.Wake)
	return nil
}

// TradesChanged is the fact that a write changed trades; see [history.AddFact]. A trade can
// be in several facts of a transaction.
type TradesChanged struct {
	Account                  journal.AccountID
	Created, Changed, Closed []journal.TradeID
}

// maxTradeEvents is how many trades of one write have an event each. More are one event.
const maxTradeEvents = 500

// Follow emits the events of a change. It is a [history.Follower].
func (s *Service) Follow(ctx context.Context, tx *db.Tx, w *history.Written) error {
	return s.Emit(ctx, tx, w.Owner, eventsOf(w)...)
}

// eventsOf returns the events of a change. An import is one event, whatever it brought.
func eventsOf(w *history.Written) (events []Event) {
	for i := range w.Objects {
		if o := &w.Objects[i]; o.Type == "import" {
			return importEvents(w, o)
		}
	}
	events = tradeEvents(w)
	for i := range w.Objects {
		o := &w.Objects[i]
		switch {
		case o.Type == "note" && o.Action == history.Created && !w.IsUndo:
			account := o.Account
			if account == "" && o.SeenIn != history.AllAccounts {
				account = o.SeenIn
			}
			events = append(events, Event{
				Type: NoteCreated, At: w.At, Account: account, Note: journal.NoteID(o.ID), Link: "/notes/" + o.ID,
			})
		case o.Type == "trade" && o.Action == history.Updated && isReview(o) && !w.IsUndo:
			events = append(events, Event{
				Type: TradeReviewed, At: w.At, Account: o.Account, Trade: journal.TradeID(o.ID), Link: "/trades/" + o.ID,
			})
		}
	}
	return events
}

// isReview reports whether a trade was marked as reviewed.
func isReview(o *history.Object) bool {
	for _, f := range o.Fields {
		if f.Name == "reviewed_at" {
			return string(f.Before) == "null" && string(f.After) != "null"
		}
	}
	return false
}

// importEvents returns the event of an import that was committed or reversed.
func importEvents(w *history.Written, o *history.Object) []Event {
	e := Event{Type: ImportCommitted, At: w.At, Account: o.Account, Batch: journal.BatchID(o.ID), Link: "/import/" + o.ID, Counts: o.Contains}
	for _, f := range o.Fields {
		if f.Name == "status" && string(f.After) == `"reversed"` {
			e.Type = ImportReversed
		}
	}
	return []Event{e}
}

// tradeEvents returns the events of trades that a write opened, closed or changed.
func tradeEvents(w *history.Written) (events []Event) {
	type state struct {
		account         journal.AccountID
		created, closed bool
	}
	states := map[journal.TradeID]*state{}
	var order []journal.TradeID
	find := func(account journal.AccountID, id journal.TradeID) *state {
		if states[id] == nil {
			states[id] = &state{account: account}
			order = append(order, id)
		}
		return states[id]
	}
	for _, fact := range w.Facts {
		t, ok := fact.(TradesChanged)
		if !ok {
			continue
		}
		for _, id := range t.Created {
			find(t.Account, id).created = true
		}
		for _, id := range t.Changed {
			find(t.Account, id)
		}
		for _, id := range t.Closed {
			find(t.Account, id).closed = true
		}
	}
	if len(order) > maxTradeEvents {
		return []Event{{Type: TradeChanged, At: w.At, Account: states[order[0]].account, Link: "/trades", Counts: map[string]int{"trade": len(order)}}}
	}
	for _, id := range order {
		e := Event{Type: TradeChanged, At: w.At, Account: states[id].account, Trade: id, Link: "/trades/" + string(id)}
		switch {
		case states[id].closed:
			e.Type = TradeClosed
		case states[id].created:
			e.Type = TradeOpened
		}
		events = append(events, e)
	}
	return events
}
