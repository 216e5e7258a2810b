package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Limits for one request.
const (
	maxNewFills     = 1000
	maxBulkTradeIDs = 1000
	maxCreatedTags  = 20
)

// newTrade is the body for a trade with its fills.
type newTrade struct {
	AccountID journal.AccountID `json:"account_id"`
	Fills     []NewFill         `json:"fills" minItems:"1" maxItems:"1000" doc:"The fills, each as in POST /executions without account_id."`
	AnnotationFields
}

// tradeFills is the body for a preview.
type tradeFills struct {
	AccountID journal.AccountID `json:"account_id"`
	Fills     []NewFill         `json:"fills" minItems:"1" maxItems:"1000" doc:"The fills, each as in POST /executions without account_id."`
}

// writtenTrade is a trade as POST /trades answers with it.
type writtenTrade struct {
	TradeDetail
	AddedFills []journal.ExecutionID `json:"added_execution_ids" doc:"The fills of this trade that the request added."`
	Deduped    int                   `json:"deduped,omitzero" doc:"How many fills of the request this trade already had. They were not added again."`
}

// checkFills refuses a body without an account or fills, and an invalid fill, named by
// its place in the list.
func (n newTrade) checkFills() ([]ledger.NewFill, error) {
	switch {
	case n.AccountID == "":
		return nil, requiredField("account_id")
	case len(n.Fills) == 0:
		return nil, journal.InvalidField("fills", "fills must have at least one fill.")
	case len(n.Fills) > maxNewFills:
		return nil, journal.InvalidField("fills", "fills must have at most %d fills.", maxNewFills)
	}
	fills := make([]ledger.NewFill, len(n.Fills))
	for i, sent := range n.Fills {
		fill, err := sent.fill()
		if err == nil {
			err = fill.Check()
		}
		if err != nil {
			return nil, locateError(fmt.Sprintf("fills.%d.", i), fmt.Sprintf("Fill %d: ", i+1), err)
		}
		fills[i] = fill
	}
	return fills, nil
}

// locateError prefixes the field and the message in a refusal with a field.
func locateError(field, message string, err error) error {
	var refusal *journal.Error
	if !errors.As(err, &refusal) {
		return err
	}
	name, named := refusal.Details["field"].(string)
	if !named {
		return err
	}
	return journal.InvalidField(field+name, "%s", message+refusal.Message)
}

func (a tradeAPI) addTrade(ctx context.Context, in *body[newTrade]) (*body[[]writtenTrade], error) {
	fills, err := in.Body.checkFills()
	if err != nil {
		return nil, err
	}
	var trades []writtenTrade
	err = a.db.Update(ctx, func(tx *db.Tx) (err error) {
		trades, err = a.addTradeIn(ctx, tx, in.Body, fills)
		return err
	})
	for i := range trades {
		if err == nil {
			err = a.complete(ctx, caller(ctx).UserID, &trades[i].Trade)
		}
	}
	return answer(trades, err)
}

// addTradeIn stores the fills, annotates their trades and reads these trades, as one
// step.
func (a tradeAPI) addTradeIn(ctx context.Context, tx *db.Tx, in newTrade, fills []ledger.NewFill) ([]writtenTrade, error) {
	owner := caller(ctx).UserID
	added, err := a.ledger.AddFills(ctx, tx, owner, in.AccountID, fills)
	if err != nil {
		return nil, err
	}
	var ids []journal.TradeID
	deduped := map[journal.TradeID]int{}
	newFills := map[journal.TradeID][]journal.ExecutionID{}
	for _, outcome := range added.Outcomes {
		for _, id := range outcome.Trades {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			if outcome.Duplicate {
				deduped[id]++
			} else {
				newFills[id] = append(newFills[id], outcome.ID)
			}
		}
	}
	if set := in.AnnotationFields.change(); !set.IsEmpty() {
		if _, err := a.playbook.AnnotateTrades(ctx, tx, owner, ids, playbook.BulkChange{Set: set}); err != nil {
			return nil, err
		}
	}
	trades := make([]writtenTrade, len(ids))
	for i, id := range ids {
		detail, err := readTradeDetail(ctx, tx, owner, id)
		if err != nil {
			return nil, err
		}
		detail.Warnings = append(detail.Warnings, added.Warnings...)
		trades[i] = writtenTrade{TradeDetail: detail, AddedFills: append([]journal.ExecutionID{}, newFills[id]...), Deduped: deduped[id]}
	}
	return trades, nil
}

// tradePreview is the result that a new trade's fills would have.
type tradePreview struct {
	NetPnL     decimal.Decimal `json:"net_pnl" doc:"What the fills would realize: the change to the realized results of all trades of the account, in its currency."`
	NewTrades  int             `json:"new_trades"`
	Changed    int             `json:"changed_trades" doc:"Stored trades that would get some of the fills."`
	OpenTrades int             `json:"open_trades" doc:"Of these trades those that would be open."`
	Duplicates int             `json:"duplicates" doc:"Fills that are stored already."`
}

// previewTrade groups the fills as a write would and stores nothing.
func (a tradeAPI) previewTrade(ctx context.Context, in *body[tradeFills]) (*body[tradePreview], error) {
	fills, err := newTrade{AccountID: in.Body.AccountID, Fills: in.Body.Fills}.checkFills()
	if err != nil {
		return nil, err
	}
	var found ledger.InsertPreview
	err = a.db.View(ctx, func(tx *db.Tx) (err error) {
		found, err = ledger.PreviewInsert(ctx, tx, caller(ctx).UserID, in.Body.AccountID, fills)
		return err
	})
	out := tradePreview{NetPnL: found.RealizedPnL, NewTrades: found.Created, Changed: found.Changed, OpenTrades: found.Open}
	for _, known := range found.Known {
		if known {
			out.Duplicates++
		}
	}
	return answer(out, err)
}

// bulkAnnotation is the body for annotating several trades.
type bulkAnnotation struct {
	IDs            []journal.TradeID      `json:"ids" minItems:"1" maxItems:"1000" doc:"The trades; a repeated id counts once."`
	Set            opt[AnnotationFields]  `json:"set" required:"false" doc:"Annotations to set on every trade, as in PATCH /trades/{id}."`
	AddTagIDs      opt[[]journal.TagID]   `json:"add_tag_ids" required:"false"`
	RemoveTagIDs   opt[[]journal.TagID]   `json:"remove_tag_ids" required:"false"`
	CreateTags     opt[[]string]          `json:"create_tags" required:"false" maxItems:"20" doc:"Names of tags to add to every trade; those that do not exist are created."`
	AddSetupIDs    opt[[]journal.SetupID] `json:"add_setup_ids" required:"false"`
	RemoveSetupIDs opt[[]journal.SetupID] `json:"remove_setup_ids" required:"false"`
}

// change returns the change for the playbook. It refuses a body without trades, with too
// many, or without changes.
func (b bulkAnnotation) change() (playbook.BulkChange, error) {
	change := playbook.BulkChange{
		Set: b.Set.Value.change(), AddTags: b.AddTagIDs.Value, RemoveTags: b.RemoveTagIDs.Value,
		AddSetups: b.AddSetupIDs.Value, RemoveSetups: b.RemoveSetupIDs.Value,
	}
	if err := b.Set.NotNull("set"); err != nil {
		return change, err
	}
	switch {
	case len(b.IDs) == 0:
		return change, journal.InvalidField("ids", "ids must name at least one trade.")
	case len(b.IDs) > maxBulkTradeIDs:
		return change, journal.InvalidField("ids", "ids must name at most %d trades.", maxBulkTradeIDs)
	case len(b.CreateTags.Value) > maxCreatedTags:
		return change, journal.InvalidField("create_tags", "create_tags must have at most %d names.", maxCreatedTags)
	case change.IsEmpty() && len(b.CreateTags.Value) == 0:
		return change, journal.InvalidField("set", "There is nothing to change: send set, or tags or setups to add or remove.")
	}
	return change, nil
}

// bulkReport is the answer to annotating several trades.
type bulkReport struct {
	Updated   int          `json:"updated" doc:"How many trades were changed."`
	Unchanged int          `json:"unchanged" doc:"How many trades already had these annotations."`
	Trades    []bulkResult `json:"trades" doc:"Each trade once, in the order of ids."`
	// CreatedTags is absent unless create_tags is sent.
	CreatedTags []journal.TagID `json:"created_tag_ids,omitzero" doc:"The tags of create_tags that did not exist."`
}

type bulkResult struct {
	ID      journal.TradeID `json:"id"`
	Changed bool            `json:"changed"`
}

func (a tradeAPI) annotateTrades(ctx context.Context, in *body[bulkAnnotation]) (*body[bulkReport], error) {
	change, err := in.Body.change()
	if err != nil {
		return nil, err
	}
	var results []playbook.BulkResult
	var created []journal.TagID
	err = a.db.Update(ctx, func(tx *db.Tx) (err error) {
		history.Describe(tx, caller(ctx).UserID, history.Description{Action: history.Bulk})
		bulk := change
		if names := in.Body.CreateTags.Value; len(names) > 0 {
			var tags []journal.TagID
			if tags, created, err = a.playbook.EnsureTags(ctx, tx, caller(ctx).UserID, names); err != nil {
				return locateTags(err)
			}
			bulk.AddTags = slices.Concat(change.AddTags, tags)
		}
		results, err = a.playbook.AnnotateTrades(ctx, tx, caller(ctx).UserID, in.Body.IDs, bulk)
		return err
	})
	if err != nil {
		return nil, locateInSet(err)
	}
	report := bulkReport{Trades: make([]bulkResult, len(results)), CreatedTags: created}
	for i, result := range results {
		report.Trades[i] = bulkResult{ID: result.Trade, Changed: result.Changed}
		if result.Changed {
			report.Updated++
		}
	}
	report.Unchanged = len(results) - report.Updated
	return answer(report, nil)
}

// locateTags names create_tags as the field of a refused tag name.
func locateTags(err error) error {
	var refusal *journal.Error
	if !errors.As(err, &refusal) || refusal.Details["field"] == nil {
		return err
	}
	return journal.InvalidField("create_tags", "create_tags: %s", refusal.Message)
}

// locateInSet prefixes a refused annotation's name with set. The names of the add and
// remove lists stay as they are.
func locateInSet(err error) error {
	var refusal *journal.Error
	lists := []any{"create_tags", "add_tag_ids", "remove_tag_ids", "add_setup_ids", "remove_setup_ids"}
	if errors.As(err, &refusal) && slices.Contains(lists, refusal.Details["field"]) {
		return err
	}
	return locateError("set.", "", err)
}

func (a tradeAPI) registerTradeWriteRoutes(api *API) {
	add := tradeRoute(writeJournal, http.MethodPost, "", "addTrade", "Add fills and annotate their trades")
	add.about = "Stores the fills, groups them into trades and sets the annotations on every one of these trades, all in one transaction. " +
		"A fill that is already stored is not added again, by the rules of POST /executions; equal fills of one request are all stored. " +
		"The answer is the trades that the fills belong to now, in the order of the fills."
	register(api, add, a.addTrade)
	preview := tradeRoute(writeJournal, http.MethodPost, "/preview", "previewTrade", "Preview fills; nothing is written")
	preview.about = "Groups the fills with the stored ones as POST /trades would, and returns the result."
	preview.status, preview.refusals = http.StatusOK, []int{http.StatusNotFound}
	register(api, preview, a.previewTrade)
	bulk := tradeRoute(writeJournal, http.MethodPatch, "", "annotateTrades", "Annotate several trades")
	bulk.about = "All or nothing: if one id is unknown or one value is invalid, no trade is changed. " +
		"set is applied first, then tags and setups are removed, then added."
	bulk.refusals = []int{http.StatusNotFound}
	register(api, bulk, a.annotateTrades)
}
