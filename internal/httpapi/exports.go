package httpapi

import (
	"context"
	"io"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/backup"
	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/transport"
)

type exportQuery struct {
	Format    string   `query:"format" enum:"json,csv,xlsx,zip" doc:"json is the complete backup (the default), zip the same with attachments, csv and xlsx are tables."`
	Rows      string   `query:"rows" enum:"trades,executions" doc:"What a csv lists, a row each; trades by default."`
	AccountID []string `query:"account_id,explode" doc:"One account, or for tables several; without it everything."`
}

// exportKind is one of the formats.
type exportKind struct {
	mediaType, ending string
	write             func(ctx context.Context, tx *db.Tx, e export, out io.Writer) error
}

// export is what is to be written.
type export struct {
	a        *API
	owner    journal.UserID
	accounts []journal.AccountID // the named ones; none means all
	fills    bool
}

func (e export) scope() backup.Scope {
	scope := backup.Scope{At: e.a.Clock()}
	if len(e.accounts) == 1 {
		scope.Account = e.accounts[0]
	}
	return scope
}

var exportKinds = map[string]exportKind{
	"json": {"application/json", ".json", func(ctx context.Context, tx *db.Tx, e export, out io.Writer) error {
		return backup.WriteJSON(ctx, tx, e.owner, e.scope(), out)
	}},
	"zip": {"application/zip", ".zip", func(ctx context.Context, tx *db.Tx, e export, out io.Writer) error {
		missing, err := backup.WriteZip(ctx, tx, e.a.Playbook, e.owner, e.scope(), out)
		if len(missing) > 0 {
			e.a.Log.WarnContext(ctx, "attachments are missing from an export", "user", e.owner, "files", len(missing))
		}
		return err
	}},
	"csv": {"text/csv; charset=utf-8", ".csv", func(ctx context.Context, tx *db.Tx, e export, out io.Writer) error {
		if e.fills {
			return backup.WriteFillsCSV(ctx, tx, e.owner, e.accounts, out)
		}
		return backup.WriteTradesCSV(ctx, tx, e.owner, e.accounts, out)
	}},
	"xlsx": {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", func(ctx context.Context, tx *db.Tx, e export, out io.Writer) error {
		return backup.WriteXLSX(ctx, tx, e.owner, e.accounts, out)
	}},
}

func (a *API) exportOperations() {
	read := journalRoute(http.MethodGet, "/exports", "export", "Imports", "Download the journal")
	read.about = "The JSON backup is complete and can be imported again, here or elsewhere."
	read.file, read.repeated = true, []string{"account_id"}
	register(a, read, a.export)
}

func (a *API) export(ctx context.Context, in *exportQuery) (*huma.StreamResponse, error) {
	e := export{a: a, owner: caller(ctx).UserID, fills: in.Rows == "executions"}
	if in.Format == "" {
		in.Format = "json"
	}
	kind, known := exportKinds[in.Format]
	switch {
	case !known:
		return nil, journal.InvalidField("format", "format must be json, csv, xlsx or zip.")
	case in.Rows != "" && in.Rows != "trades" && in.Rows != "executions":
		return nil, journal.InvalidField("rows", "rows must be trades or executions.")
	}
	named, err := listed[journal.AccountID]("account_id", in.AccountID)
	if err != nil {
		return nil, err
	}
	e.accounts = named
	if len(e.accounts) > 1 && (in.Format == "json" || in.Format == "zip") {
		return nil, journal.InvalidField("account_id", "A backup is of one account or of all.")
	}
	err = a.DB.View(ctx, func(tx *db.Tx) error {
		for _, id := range e.accounts {
			if err := ledger.KnowAccount(ctx, tx, e.owner, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) { a.sendExport(ctx, hc, e, kind) }}, nil
}

// sendExport writes the file as it is read. Once it has begun there is no way
// to say that it failed but to break off, which clients notice.
func (a *API) sendExport(ctx context.Context, hc huma.Context, e export, kind exportKind) {
	name := "fillbook-" + string(a.Clock.Today()) + kind.ending
	hc.SetHeader("Content-Type", kind.mediaType)
	hc.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	hc.SetHeader("Cache-Control", "no-store")
	hc.SetStatus(http.StatusOK)
	err := a.DB.View(ctx, func(tx *db.Tx) error { return kind.write(ctx, tx, e, hc.BodyWriter()) })
	if err != nil {
		a.Log.ErrorContext(ctx, "an export broke off", "user", e.owner, "error", err, "request", transport.RequestOf(ctx).ID)
		panic(http.ErrAbortHandler)
	}
}
