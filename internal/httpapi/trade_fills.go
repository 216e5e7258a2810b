package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

func (a tradeAPI) registerTradeFillRoutes(api *API) {
	list := tradeRoute(readJournal, http.MethodGet, "/{id}/fills", "listTradeFills", "List the fills of a trade by time")
	list.about = "GET /trades/{id} contains the first 1000 of them."
	registerList(api, allowLongAnswer(list), a.listTradeFills)
}

type tradeFillQuery struct {
	ByID[journal.TradeID]
	Paging
}

func (a tradeAPI) listTradeFills(ctx context.Context, in *tradeFillQuery) (*listing[tradeFill], error) {
	after, err := decodeTradeFillCursor(&in.Paging)
	if err != nil {
		return nil, err
	}
	owner, size := caller(ctx).UserID, in.pageSize()
	var page []ledger.TradeFill
	var total int
	err = a.db.View(ctx, func(tx *db.Tx) (err error) {
		page, total, err = ledger.ReadTradeFills(ctx, tx, owner, in.ID, after, min(size, maxPage)+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return &listing[tradeFill]{each: func(emit func(tradeFill) error) error {
			return a.db.View(ctx, func(tx *db.Tx) error { return eachTradeFill(ctx, tx, owner, in.ID, after, emit) })
		}}, nil
	}
	return newListing(&in.Paging, page, total, shapeTradeFill, tradeFillKeys), nil
}

// eachTradeFill calls emit for a trade's fills after a position, reading them in pages.
func eachTradeFill(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID, after matching.Position, emit func(tradeFill) error,
) error {
	for {
		page, _, err := ledger.ReadTradeFills(ctx, tx, owner, id, after, maxPage)
		if err != nil {
			return err
		}
		for _, f := range page {
			if err := emit(shapeTradeFill(f)); err != nil {
				return err
			}
			after = f.Place
		}
		if len(page) < maxPage {
			return nil
		}
	}
}

func tradeFillKeys(f ledger.TradeFill) []string {
	return []string{strconv.FormatInt(f.Place.At, 10), strconv.FormatInt(f.Place.Seq, 10)}
}

// decodeTradeFillCursor parses a cursor with tradeFillKeys. It returns the position
// before all fills if none.
func decodeTradeFillCursor(p *Paging) (after matching.Position, err error) {
	keys, err := p.decodeCursor(2)
	if err != nil || keys == nil {
		return after, err
	}
	for i, into := range []*int64{&after.At, &after.Seq} {
		if *into, err = strconv.ParseInt(keys[i], 10, 64); err != nil {
			return after, invalidCursor()
		}
	}
	return after, nil
}

// moreFillsLink returns the address of a trade's fills beyond those in its detail, or an
// empty text.
func moreFillsLink(d *tradeview.Detail) string {
	n := len(d.Fills)
	if n == 0 || n >= d.Executions {
		return ""
	}
	query := url.Values{"limit": {strconv.Itoa(maxPage)}, "cursor": {encodeCursor(tradeFillKeys(d.Fills[n-1])...)}}
	return prefix + "/trades/" + string(d.ID) + "/fills?" + query.Encode()
}
