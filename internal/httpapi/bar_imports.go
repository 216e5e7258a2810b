package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
	"fillbook/internal/transport"
)

// barImport is an import with bars.
type barImport struct {
	ID        journal.BarImportID `json:"id"`
	Filename  string              `json:"filename"`
	Layout    string              `json:"layout" doc:"The name of what wrote the file, such as TradingView."`
	Status    bars.Status         `json:"status" enum:"committed,reversed"`
	CreatedAt time.Time           `json:"created_at"`
	Series    int                 `json:"series" doc:"The number of series in the file."`
	Inserted  int                 `json:"inserted" doc:"Bars that were new."`
	Replaced  int                 `json:"replaced" doc:"Bars that replaced one with other values."`
	Unchanged int                 `json:"unchanged" doc:"Bars that were stored before."`
}

func shapeBarImport(i bars.Import) barImport {
	return barImport{
		ID: i.ID, Filename: i.FileName, Layout: i.Layout, Status: i.Status, CreatedAt: i.CreatedAt, Series: i.Series,
		Inserted: i.Inserted, Replaced: i.Replaced, Unchanged: i.Unchanged,
	}
}

// barGap is a run of days without bars.
type barGap struct {
	From journal.Day `json:"from"`
	To   journal.Day `json:"to" doc:"The last day, inclusive."`
}

// barReading is the meaning of times and prices in a file, found with the fills.
type barReading struct {
	TZ           string          `json:"tz" doc:"A name such as America/New_York, or an offset such as -05:00."`
	Stamp        string          `json:"stamp" enum:"open,close"`
	PriceScale   decimal.Decimal `json:"price_scale"`
	FillsChecked int             `json:"fills_checked" doc:"Fills between the first and the last bar under this reading; at most 200 are compared."`
	FillsInside  int             `json:"fills_inside"`
	Certain      bool            `json:"certain" doc:"Enough fills prove it, so that a commit uses it without being asked."`
}

// barPreviewSeries describes one series in a bar file.
type barPreviewSeries struct {
	Symbol         string             `json:"symbol"`
	Contract       string             `json:"contract" doc:"The contract of an option; empty otherwise."`
	BarSecs        int64              `json:"bar_secs" doc:"0 if it is not in the file; send it."`
	Bars           int                `json:"bars"`
	From           time.Time          `json:"from" doc:"The opening of the first bar."`
	To             time.Time          `json:"to" doc:"The opening of the last bar."`
	TZ             orNull[string]     `json:"tz" doc:"The time zone that a commit uses; null if it must be sent."`
	Stamp          orNull[string]     `json:"stamp" doc:"open or close: which instant of a bar its time is; null if it must be sent."`
	PriceScale     decimal.Decimal    `json:"price_scale" doc:"What prices of the file are multiplied by."`
	PriceKind      market.PriceKind   `json:"price_kind" enum:"trade,bid,ask,mid,reference" doc:"reference: the rates of a currency, which are never the prices of an instrument."`
	VolumeKind     market.VolumeKind  `json:"volume_kind" enum:"real,ticks,none"`
	Layout         string             `json:"layout" doc:"The name of what wrote the file."`
	FillsChecked   int                `json:"fills_checked" doc:"Your fills of the symbol between the first and the last bar."`
	FillsInside    int                `json:"fills_inside" doc:"Of these those whose price lies between low and high of their bar."`
	Similar        bool               `json:"similar" doc:"The fills are of another contract of the same future."`
	Overlaps       int                `json:"overlaps" doc:"Bars that are stored already."`
	Conflicts      int                `json:"conflicts" doc:"Of these those with other values. A commit replaces them."`
	RepeatedInFile int                `json:"repeated_in_file" doc:"Bars that the file has twice with different values. The later one is used."`
	Gaps           []barGap           `json:"gaps" doc:"The first 50 runs of weekdays without bars, holidays among them; also weekends if the file has them."`
	GapDays        int                `json:"gap_days" doc:"The number of days in all gaps."`
	Proposed       orNull[barReading] `json:"proposed" doc:"The reading under which most fills lie inside their bar; null without fills."`
}

type barProblem struct {
	File    string `json:"file,omitempty" doc:"The file in an archive."`
	Row     int    `json:"row" doc:"The line of a text file or the number of the record, from 1."`
	Message string `json:"message"`
}

// BarPreview describes a bar file.
type BarPreview struct {
	Series         []barPreviewSeries `json:"series"`
	Layout         string             `json:"layout" doc:"The name of what wrote the file, such as TradingView."`
	Rows           int                `json:"rows" doc:"Data rows of the file."`
	Errors         []barProblem       `json:"errors" doc:"The first 200 rows that were left out."`
	ErrorCount     int                `json:"error_count"`
	Warnings       []string           `json:"warnings"`
	MissingMapping []string           `json:"missing_mapping" doc:"What must be sent before this file can be committed: tz, stamp, symbol or bar_secs."`
}

// barCommit is the answer to a commit.
type barCommit struct {
	ImportBatchID journal.BarImportID `json:"import_batch_id"`
	Inserted      int                 `json:"inserted"`
	Replaced      int                 `json:"replaced"`
	Unchanged     int                 `json:"unchanged"`
	BarPreview
}

func shapeBarResult(r barimport.Result) BarPreview {
	shaped := BarPreview{
		Layout: r.Layout, Rows: r.Rows, ErrorCount: r.ErrorCount, Warnings: append([]string{}, r.Warnings...), MissingMapping: []string{},
		Series: shapeAll(r.Series, shapeBarSeries),
		Errors: shapeAll(r.Errors, func(p barimport.Problem) barProblem { return barProblem(p) }),
	}
	if r.Missing != "" {
		shaped.MissingMapping = append(shaped.MissingMapping, r.Missing)
	}
	return shaped
}

func shapeBarSeries(s barimport.Series) barPreviewSeries {
	shaped := barPreviewSeries{
		Symbol: s.Symbol, Contract: s.Contract, BarSecs: s.Secs, Bars: s.Bars, From: fromSeconds(s.First), To: fromSeconds(s.Last),
		PriceScale: s.Reading.PriceScale, PriceKind: s.PriceKind, VolumeKind: s.VolumeKind, Layout: s.Layout,
		FillsChecked: s.FillsChecked, FillsInside: s.FillsInside, Similar: s.Similar, Overlaps: s.Overlaps, Conflicts: s.Conflicts,
		RepeatedInFile: s.Repeated, GapDays: s.GapDays,
		Gaps: shapeAll(s.Gaps, func(g barimport.Gap) barGap { return barGap(g) }),
	}
	if s.ZoneKnown {
		name := s.Reading.Zone.String()
		shaped.TZ.value = &name
	}
	if s.StampKnown {
		name := stampName(s.Reading.Stamp)
		shaped.Stamp.value = &name
	}
	if p := s.Proposed; p != nil {
		shaped.Proposed.value = &barReading{
			TZ: p.Zone.String(), Stamp: stampName(p.Stamp), PriceScale: p.PriceScale, FillsChecked: p.Checked, FillsInside: p.Inside,
			Certain: p.IsCertain(market.LeastFillsForStamp),
		}
	}
	return shaped
}

func stampName(stamp market.Stamp) string {
	if stamp == market.CloseStamp {
		return "close"
	}
	return "open"
}

// barFields are the form fields besides the file.
var barFields = map[string]string{
	"symbol":      "The symbol of a file that does not name it. Of a file with several symbols only this one is read.",
	"tz":          "The time zone of times without one: a name such as America/New_York or an offset such as -05:00. Without it the fills find it. Times with an offset and numbers since 1970 do not need it.",
	"stamp":       "open or close: which instant of a bar its time is. Without it the fills find it.",
	"bar_secs":    "The length of a bar in seconds. Ticks become bars of this length; default 1.",
	"price_scale": "What prices are multiplied by, such as 0.01. Default 1, unless the fills prove another.",
}

func (a barAPI) registerBarImportRoutes(api *API) {
	route := func(needs permission, method, path, id, summary string) route {
		r := barRoute(needs, method, "/imports"+path, id, summary)
		if method == http.MethodPost {
			r.status, r.body, r.limit, r.form = http.StatusOK, transport.FormBody, api.options.BarsMaxBytes, true
			r.limitKind, r.fields = importQueue, barFields
		}
		return r
	}
	registerList(api, route(readBars, http.MethodGet, "", "listBarImports", "List the imports of bars, newest first"),
		func(ctx context.Context, in *Paging) (*listing[barImport], error) {
			list, err := a.bars.ListImports(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeBarImport, func(i bars.Import) string { return string(i.ID) })
		})
	register(api, route(uploadFiles, http.MethodPost, "", "previewBarImport", "Preview a file of bars; nothing is written"), a.previewBars)
	register(api, route(uploadFiles, http.MethodPost, "/commit", "commitBarImport", "Import a file of bars"), a.commitBars)
	register(api, forEveryAccount(route(writeJournal, http.MethodDelete, "/{id}", "reverseBarImport", "Reverse an import of bars: what it replaced counts again")),
		func(ctx context.Context, in *ByID[journal.BarImportID]) (*nothing, error) {
			return nil, a.bars.Reverse(ctx, caller(ctx).UserID, in.ID)
		})
}

// barUpload reads the form with a bar file.
func (a barAPI) barUpload(ctx context.Context) (up barimport.Upload, err error) {
	form := transport.FormOf(ctx)
	if form.File == nil {
		return up, journal.InvalidField("file", "The form has no file. Send one in the field file.")
	}
	up = barimport.Upload{
		FileName: form.File.Name, Content: form.File.ReaderAt(), Size: form.File.Size,
		Symbol: form.Fields["symbol"], Zone: form.Fields["tz"], Stamp: form.Fields["stamp"],
		Scratch: func() (files.Scratch, error) { return a.spool.CreateTemp(transport.RequestOf(ctx).User) },
	}
	if text := form.Fields["bar_secs"]; text != "" {
		if up.BarSecs, err = strconv.ParseInt(text, 10, 64); err != nil || up.BarSecs < 1 {
			return up, journal.InvalidField("bar_secs", "bar_secs must be a whole number of seconds.")
		}
	}
	if text := form.Fields["price_scale"]; text != "" {
		scale, err := decimal.Parse(text)
		if err != nil {
			return up, journal.InvalidField("price_scale", "price_scale must be a number.")
		}
		up.PriceScale = decimal.Of(scale)
	}
	return up, nil
}

func (a barAPI) previewBars(ctx context.Context, _ *struct{}) (*body[BarPreview], error) {
	up, err := a.barUpload(ctx)
	if err != nil {
		return nil, err
	}
	result, err := a.barImports.Preview(ctx, caller(ctx).UserID, up)
	return answer(shapeBarResult(result), err)
}

func (a barAPI) commitBars(ctx context.Context, _ *struct{}) (*body[barCommit], error) {
	up, err := a.barUpload(ctx)
	if err != nil {
		return nil, err
	}
	done, result, err := a.barImports.Commit(ctx, caller(ctx).UserID, up)
	return answer(barCommit{
		ImportBatchID: done.ID, Inserted: done.Inserted, Replaced: done.Replaced, Unchanged: done.Unchanged, BarPreview: shapeBarResult(result),
	}, err)
}
