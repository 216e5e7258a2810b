package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/layouts"
	"fillbook/internal/transport"
)

// importLayout is how files with a layout are imported.
type importLayout struct {
	Signature     string                    `json:"signature" doc:"The layout_signature of a preview."`
	Name          string                    `json:"name" doc:"The broker or the file, as the client shows it."`
	SourceTZ      *string                   `json:"source_tz" doc:"As in an upload; null leaves it to the file."`
	DateOrder     *string                   `json:"date_order" doc:"As in an upload; null leaves it to the file."`
	ColumnMapping orNull[map[string]string] `json:"column_mapping" doc:"As in an upload; null uses the suggested one."`
	Accounts      []layoutAccount           `json:"accounts" doc:"The accounts that files were imported into, the last used first."`
	UsedAt        time.Time                 `json:"used_at" doc:"When the layout was stored last."`
}

type layoutAccount struct {
	FileAccount string            `json:"file_account" doc:"The file_account of the preview; empty if the file names none."`
	AccountID   journal.AccountID `json:"account_id"`
}

func shapeLayout(l layouts.Layout) importLayout {
	shaped := importLayout{
		Signature: l.Signature, Name: l.Name, SourceTZ: nilIfZero(l.SourceTZ), DateOrder: nilIfZero(l.DateOrder), UsedAt: l.UsedAt,
		Accounts: shapeAll(l.Accounts, func(a layouts.Account) layoutAccount { return layoutAccount{FileAccount: a.File, AccountID: a.ID} }),
	}
	if l.Mapping != nil {
		shaped.ColumnMapping.value = &l.Mapping
	}
	return shaped
}

func layoutTag(l layouts.Layout) any { return shapeLayout(l) }

type layoutFields struct {
	Name          opt[string]            `json:"name" doc:"Default: empty."`
	SourceTZ      opt[string]            `json:"source_tz" doc:"As in an upload. Default: null."`
	DateOrder     opt[string]            `json:"date_order" enum:"day_first,month_first" doc:"As in an upload. Default: null."`
	ColumnMapping opt[map[string]string] `json:"column_mapping" doc:"As in an upload, at most 100 columns and 16 KiB. It is compared with a file when one is imported. Default: null."`
	Accounts      opt[[]layoutAccount]   `json:"accounts" doc:"At most 20, the last used first. Default: none."`
}

// TransformSchema describes what a request must have.
func (layoutFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func (f layoutFields) layout(signature string) layouts.Layout {
	return layouts.Layout{
		Signature: signature, Name: f.Name.Value, SourceTZ: f.SourceTZ.Value, DateOrder: f.DateOrder.Value, Mapping: f.ColumnMapping.Value,
		Accounts: shapeAll(f.Accounts.Value, func(a layoutAccount) layouts.Account {
			return layouts.Account{File: a.FileAccount, ID: a.AccountID}
		}),
	}
}

// LayoutPath is the input for one layout.
type LayoutPath struct {
	Signature string `path:"signature"`
}

type layoutChange struct {
	LayoutPath
	Precondition
	Body layoutFields
}

type layoutRemoval struct {
	LayoutPath
	Precondition
}

type layoutQuery struct {
	Paging
	AccountID journal.AccountID `query:"account_id" doc:"Only layouts whose files were imported into this account."`
}

func layoutRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/import-layouts"+path, id, "Imports", summary)
}

// layoutAPI has the operations on import layouts.
type layoutAPI struct {
	imports *imports.Service
}

func (a layoutAPI) register(api *API) {
	registerList(api, layoutRoute(readLayouts, http.MethodGet, "", "listImportLayouts", "List how files of each layout were last imported, the last used first"),
		func(ctx context.Context, in *layoutQuery) (*listing[importLayout], error) {
			list, err := a.imports.Layouts(ctx, caller(ctx).UserID, in.AccountID)
			if err != nil {
				return nil, err
			}
			return paginate(&in.Paging, list, shapeLayout, func(l layouts.Layout) string { return l.Signature })
		})
	register(api, layoutRoute(readLayouts, http.MethodGet, "/{signature}", "getImportLayout", "Read how files of a layout were last imported"),
		func(ctx context.Context, in *LayoutPath) (*body[importLayout], error) {
			found, err := a.imports.Layout(ctx, caller(ctx).UserID, in.Signature)
			return answer(shapeLayout(found), err)
		})
	register(api, forEveryAccount(layoutRoute(writeJournal, http.MethodPut, "/{signature}", "setImportLayout", "Store how files of a layout are imported")),
		func(ctx context.Context, in *layoutChange) (*body[importLayout], error) {
			check := transport.IfMatch(in.IfMatch, layoutTag)
			stored, err := a.imports.StoreLayout(ctx, caller(ctx).UserID, in.Body.layout(in.Signature), check)
			return answer(shapeLayout(stored), err)
		})
	register(api, forEveryAccount(layoutRoute(writeJournal, http.MethodDelete, "/{signature}", "deleteImportLayout", "Forget how files of a layout are imported")),
		func(ctx context.Context, in *layoutRemoval) (*nothing, error) {
			return nil, a.imports.DeleteLayout(ctx, caller(ctx).UserID, in.Signature, transport.IfMatch(in.IfMatch, layoutTag))
		})
}
