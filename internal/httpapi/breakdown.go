package httpapi

import (
	"context"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/playbook"
)

type breakdownQuery struct {
	FigureQuery
	By       dimensionParam `query:"by" required:"true"`
	Evidence flagParam      `query:"evidence" doc:"Add the statistical evidence of each row. Default true."`
	Explain  flagParam      `query:"explain" doc:"Add the formula of each row and the link to its trades."`
}

// dimensionParam is what a breakdown groups by.
type dimensionParam struct{ analytics.Dimension }

// UnmarshalText parses a dimension name.
func (p *dimensionParam) UnmarshalText(text []byte) (err error) {
	p.Dimension, err = analytics.ParseDimension(paramMark, string(text))
	return err
}

// Schema describes the names.
func (dimensionParam) Schema(huma.Registry) *huma.Schema {
	return describeEnum(append(analytics.Dimensions(), analytics.StrategyDimensions()...))
}

// breakdownRow is a row with the name of the record behind its key.
type breakdownRow struct {
	CountedUnit
	analytics.Row
	Evidence    orNull[analytics.Evidence] `json:"evidence" doc:"null if evidence is false"`
	Rest        orNull[rowRest]            `json:"rest" doc:"The row compared with the other trades of the selection; null if evidence is false, if there are no others, and for realized results."`
	Name        string                     `json:"name" doc:"The name of the setup, tag, account or trading rule; otherwise the key."`
	Explanation *explainedRow              `json:"explanation,omitempty"`
	Currency    string                     `json:"currency,omitempty" doc:"The currency of the amounts. Only with currency."`
}

// rowRest is a comparison with the rest.
type rowRest struct {
	analytics.Rest
	Interval orNull[analytics.DifferenceInterval] `json:"interval" doc:"The 95% interval of the difference; null unless both sides have two days with trades."`
}

func shapeRest(rest *analytics.Rest) orNull[rowRest] {
	if rest == nil {
		return orNull[rowRest]{}
	}
	return orNull[rowRest]{&rowRest{*rest, orNull[analytics.DifferenceInterval]{rest.Interval}}}
}

type explainedRow struct {
	Formula    string `json:"formula"`
	TradesLink string `json:"trades_link" doc:"The list of exactly the trades of this row; empty if no filter selects them, and for access tokens with scope analytics."`
}

func (a figureAPI) breakdown(ctx context.Context, in *breakdownQuery) (*body[[]breakdownRow], error) {
	by, evidence := in.By.Dimension, in.Evidence.Or(true)
	if by == "" {
		_, err := analytics.ParseDimension("by", "")
		return nil, err
	}
	if in.isRealized() && !by.IsTime() {
		return nil, refuseRealized()
	}
	out := []breakdownRow{}
	err := a.withFiguresOnBasis(ctx, in.FigureQuery, func(tx *db.Tx, q *figureRequest) error {
		names, mistakes, err := a.loadNames(ctx, tx, by, q.book)
		if err != nil {
			return err
		}
		var keyOf func(journal.TradeID) string
		if by.IsStrategy() {
			if keyOf, err = a.figures.StrategyKeys(ctx, tx, q.book, by); err != nil {
				return err
			}
		}
		var broken brokenRules
		if by == analytics.ByTradingRule {
			if broken, err = a.loadBroken(ctx, tx, names); err != nil {
				return err
			}
		}
		rows := cachedFigure(q, fmt.Sprint("breakdown ", by, evidence, mistakes, broken.state), func() []analytics.Row {
			return analytics.BreakDown(q.selection(), analytics.BreakdownQuery{
				By: by, Zone: q.zone, Mistakes: mistakes, KeyOf: keyOf, Broken: broken.list, Evidence: evidence, Seed: analytics.Seed,
			})
		})
		for _, row := range rows {
			named := breakdownRow{CountedUnit: in.countedUnit(), Row: row, Evidence: orNull[analytics.Evidence]{row.Evidence}, Rest: shapeRest(row.Rest), Name: row.Key, Currency: in.filter.Currency}
			if name, known := names[row.Key]; known {
				named.Name = name
			}
			if in.Explain.Value {
				named.Explanation = in.explainRow(ctx, by, row.Key, q.zone)
			}
			out = append(out, named)
		}
		return nil
	})
	return answer(out, err)
}

// loadNames returns the names of the records behind a breakdown's keys, and the mistake
// tags.
func (a figureAPI) loadNames(
	ctx context.Context, tx *db.Tx, by analytics.Dimension, book *columns.Snapshot,
) (names map[string]string, mistakes []journal.TagID, err error) {
	names = map[string]string{}
	switch by { //nolint:exhaustive // the other keys are names already
	case analytics.ByTag, analytics.ByMistake:
		tags, err := playbook.ListTags(ctx, tx, caller(ctx).UserID)
		for _, tag := range tags { // in order, because the cache key contains the mistakes
			names[string(tag.ID)] = tag.Name
			if tag.Kind == playbook.MistakeTag {
				mistakes = append(mistakes, tag.ID)
			}
		}
		return names, mistakes, err
	case analytics.BySetup:
		setups, err := playbook.ListSetups(ctx, tx, caller(ctx).UserID)
		for _, s := range setups {
			names[string(s.ID)] = s.Name
		}
		return names, nil, err
	case analytics.ByAccount:
		for _, account := range book.Accounts {
			names[string(account.ID)] = account.Name
		}
	}
	return names, nil, nil
}

// explainRow returns a row's formula and the link to its trades.
func (in *breakdownQuery) explainRow(ctx context.Context, by analytics.Dimension, key string, zone *time.Location) *explainedRow {
	return &explainedRow{
		Formula:    "net_pnl = sum of the net results of the row's trades; win_rate = wins / trades; profit_factor = gross profit / gross loss",
		TradesLink: in.rowLink(ctx, by, key, zone),
	}
}
