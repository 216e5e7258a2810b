package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// nullText is a text that may be absent, in the form used for two import fields.
type nullText struct {
	String string `json:"String"`
	Valid  bool   `json:"Valid"`
}

func shapeNullText(text *string) nullText {
	if text == nil {
		return nullText{}
	}
	return nullText{*text, true}
}

type importProgress struct {
	Stage string `json:"stage" enum:"checking,writing,annotating"`
	Rows  int    `json:"rows" doc:"The number of rows to write."`
}

type importBatch struct {
	ID            journal.BatchID        `json:"id"`
	UserID        journal.PublicID       `json:"user_id"`
	AccountID     journal.AccountID      `json:"account_id" doc:"Empty for a backup of several accounts."`
	Source        string                 `json:"source" enum:"csv,statement,backup"`
	Format        string                 `json:"format"`
	Broker        string                 `json:"broker"`
	Filename      nullText               `json:"filename"`
	ColumnMapping nullText               `json:"column_mapping" doc:"The mapping as JSON text."`
	Kinds         map[string]string      `json:"kinds,omitempty" doc:"The kinds of words: those that were sent with a pending import, and those that the rows of a committed one were read with."`
	SourceTZ      string                 `json:"source_tz"`
	DateOrder     string                 `json:"date_order"`
	RowCount      int                    `json:"row_count"`
	Status        imports.Status         `json:"status" enum:"pending,committed,failed,reversed"`
	CreatedAt     time.Time              `json:"created_at"`
	UpdatedAt     time.Time              `json:"updated_at"`
	Result        orNull[imports.Result] `json:"result" doc:"The answer of the commit; null before it and after a reversal."`
	Origin        imports.Origin         `json:"origin" enum:"upload,connection,hook,watch,cli" doc:"How the import arrived."`
	OriginID      string                 `json:"origin_id" doc:"The id of the connection or hook that sent it; empty for other origins."`
	Progress      orNull[importProgress] `json:"progress" doc:"The progress of a running commit; null otherwise."`
}

// shapeBatch shapes the caller's import.
func shapeBatch(ctx context.Context, b imports.Batch) importBatch {
	shaped := importBatch{
		ID: b.ID, UserID: caller(ctx).PublicID, AccountID: b.Account, Source: b.Source, Format: b.Format, Broker: b.Broker,
		Filename: shapeNullText(b.FileName), ColumnMapping: shapeNullText(b.ColumnMapping), Kinds: b.Kinds, SourceTZ: b.Zone, DateOrder: b.DateOrder,
		RowCount: b.RowCount, Status: b.Status, CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt, Result: orNull[imports.Result]{b.Result},
		Origin: b.Origin, OriginID: b.OriginID,
	}
	if b.Progress != nil {
		shaped.Progress.value = &importProgress{b.Progress.Stage, b.Progress.Rows}
	}
	return shaped
}

type pendingAccount struct {
	Name            string          `json:"name"`
	Broker          string          `json:"broker"`
	AccountType     string          `json:"account_type"`
	BaseCurrency    string          `json:"base_currency"`
	StartingBalance decimal.Decimal `json:"starting_balance"`
}

type importPreview struct {
	Headers           []string                       `json:"headers"`
	SampleRows        []map[string]string            `json:"sample_rows"`
	SuggestedMapping  map[string]string              `json:"suggested_mapping" doc:"The likely content of the columns, by their names and values. Empty for source statement."`
	MappingNote       string                         `json:"suggested_mapping_note" doc:"Why nothing is suggested, or that column_mapping is ignored for this file; empty otherwise."`
	AcceptsMapping    bool                           `json:"accepts_column_mapping" doc:"Whether column_mapping changes how the file is read: not that of a backup or a file with a reader of its own."`
	DetectedBroker    string                         `json:"detected_broker"`
	DetectionReason   string                         `json:"detection_reason"`
	SuggestedSourceTZ string                         `json:"suggested_source_tz" doc:"The zone of the times: the one that the file states, that of its format, source_tz, or the one in default_tz_from. Empty if nothing says which it is and no broker was detected."`
	ZoneNote          string                         `json:"suggested_source_tz_note" doc:"Why no zone is suggested; empty otherwise."`
	ZoneFrom          imports.ZoneSource             `json:"source_tz_from" enum:",file,format,request,days,unknown" doc:"What decided the zone of the times: the file (each time or column names it), the default of its format, source_tz, nothing because there are only days, or unknown: they were read in the zone that default_tz_from says. Empty while a column mapping is missing."`
	DefaultZoneFrom   imports.DefaultZoneSource      `json:"default_tz_from" enum:",request,import,settings,market,utc" doc:"Where the assumed zone comes from, if source_tz_from is unknown or days: default_tz of the request, the last import from this broker into the account, timezone of /settings/journal, the exchange that most users of this export trade at, or utc. A file without a detected broker is read in default_tz or UTC. Empty otherwise."`
	Signature         string                         `json:"layout_signature" doc:"Identifies the layout of the file: its kind and the names of its columns. It does not depend on the fields of the request. Empty for a backup."`
	FileAccount       string                         `json:"file_account" doc:"The account that the file names; empty if it names none or several."`
	Format            string                         `json:"format"`
	Source            string                         `json:"source" enum:"csv,statement,backup"`
	RowCount          int                            `json:"row_count" doc:"Data rows of the file."`
	Rows              orNull[imports.RowCounts]      `json:"rows" doc:"What a commit would do with each data row; null while a column mapping is missing."`
	SkippedRows       []imports.SkippedRow           `json:"skipped_rows" doc:"The first 200 skipped rows; a backup lists none. skipped_reasons counts all."`
	SkippedReasons    []imports.SkippedReason        `json:"skipped_reasons" doc:"How many rows are skipped for each reason, the most frequent first; the rarest beyond 50 reasons are counted together."`
	Currency          orNull[imports.FileCurrency]   `json:"currency" doc:"The currency of the file and of the account; null for a backup."`
	ImportBatchID     string                         `json:"import_batch_id" doc:"Always empty: nothing was written."`
	AccountID         journal.AccountID              `json:"account_id"`
	PendingAccount    orNull[pendingAccount]         `json:"pending_account" doc:"The account that a commit would make."`
	JournalSummary    orNull[imports.JournalSummary] `json:"journal_summary"`
	SampleTrades      []imports.SampleTrade          `json:"sample_trades"`
	DateOrder         string                         `json:"date_order" enum:",day_first,month_first,ambiguous" doc:"If ambiguous, send date_order."`
	NewRows           int                            `json:"new_rows"`
	Duplicates        int                            `json:"duplicates" doc:"Fills that are stored already."`
	Completed         int                            `json:"completed" doc:"Of the duplicates those that would complete or correct the stored fill."`
	CashRows          int                            `json:"cash_rows"`
	CashDuplicates    int                            `json:"cash_duplicates" doc:"Of the cash rows those that are stored already."`
	Outcome           orNull[imports.Outcome]        `json:"outcome" doc:"The effect of a commit on trades; null while a column mapping is missing."`
	CorporateActions  []imports.FileAction           `json:"corporate_actions" doc:"The corporate actions that the file states: splits, with the request that would record each."`
	UnmatchedClosing  []imports.UnmatchedClosing     `json:"unmatched_closing" doc:"New sales that close a position by the file while nothing is held, each with the request that adds the position; at most 200. Nothing is added without a request."`
	Errors            []imports.Problem              `json:"errors"`
	ErrorCount        int                            `json:"error_count"`
	Warnings          []string                       `json:"warnings"`
	WarningDetails    []imports.WarningDetail        `json:"warning_details" doc:"The same warnings in the same order, with what they are about."`
	MissingMapping    []string                       `json:"missing_mapping" doc:"What column_mapping must name before this file can be committed."`
	UnknownKinds      []unknownKind                  `json:"unknown_kinds" doc:"Words for kinds of rows that are not known. Their rows are skipped until kinds names a kind."`
	MappingTargets    []imports.MappingTarget        `json:"mapping_targets" doc:"Everything that column_mapping can name, in the order for a form."`
	Reconciliation    []imports.Reconciliation       `json:"reconciliation"`
}

func shapePreview(p imports.Preview) importPreview {
	shaped := importPreview{
		Headers: p.Headers, SampleRows: p.SampleRows, SuggestedMapping: p.SuggestedMapping, DetectedBroker: p.DetectedBroker,
		DetectionReason: p.Reason, SuggestedSourceTZ: p.SuggestedZone, Format: p.Format, Source: p.Source, RowCount: p.RowCount,
		MappingNote: p.MappingNote, ZoneNote: p.ZoneNote, ZoneFrom: p.ZoneFrom, DefaultZoneFrom: p.DefaultZoneFrom, Signature: p.Signature, FileAccount: p.FileAccount,
		Rows: orNull[imports.RowCounts]{p.Rows}, SkippedRows: p.SkippedRows,
		SkippedReasons: p.SkippedReasons, Currency: orNull[imports.FileCurrency]{p.Currency},
		AccountID: p.AccountID, JournalSummary: orNull[imports.JournalSummary]{p.Journal}, SampleTrades: p.SampleTrades, DateOrder: p.DateOrder,
		NewRows: p.NewRows, Duplicates: p.Duplicates, Completed: p.Completed, CashRows: p.CashRows, CashDuplicates: p.CashDuplicates,
		Outcome: orNull[imports.Outcome]{p.Outcome}, CorporateActions: p.Actions, UnmatchedClosing: p.UnmatchedClosings, Errors: p.Errors, ErrorCount: p.ErrorCount,
		Warnings: p.Sentences, WarningDetails: p.Details, AcceptsMapping: p.AcceptsMapping, MissingMapping: p.MissingMapping, MappingTargets: imports.MappingTargets(),
		Reconciliation: p.Reconciliation, UnknownKinds: []unknownKind{},
	}
	for _, u := range p.UnknownKinds {
		shaped.UnknownKinds = append(shaped.UnknownKinds, shapeUnknownKind(u))
	}
	if a := p.PendingAccount; a != nil {
		shaped.PendingAccount.value = shapePendingAccount(*a)
	}
	return shaped
}

func shapePendingAccount(a ledger.NewAccount) *pendingAccount {
	return &pendingAccount{a.Name, a.Broker, a.Type, a.BaseCurrency, a.StartingBalance}
}

// UploadQuery is the query for an upload; the account may also be a form field.
type UploadQuery struct {
	AccountID journal.AccountID `query:"account_id" doc:"The account that the file is of; it may be a field of the form instead. A JSON backup needs none."`
}

type finishInput struct {
	UploadQuery
	ID journal.BatchID `path:"id"`
}

// uploadFields are the form fields besides the file.
var uploadFields = map[string]string{
	"account_id":              "The account that the file is of. A JSON backup needs none: it names its own. One with a single account is restored into this account instead.",
	"default_account_id":      "The account that the file is of, if account_id is missing and the file is not a backup.",
	"column_mapping":          "A JSON object from what a column is to its name; a value that begins with = is the same in all rows. Files with a reader of their own ignore it with a warning.",
	"source_tz":               "The time zone of times that name none: an IANA name, an offset such as +02:00, or America/New_York+7.",
	"default_tz":              "The time zone of times that name none, if source_tz is missing and the format has no usual zone. Without it the times of a detected broker are read in the timezone of /settings/journal, else in the zone of the exchange, and all others as UTC. Days without a time begin in the same zone. Either way the preview warns, and a later file with exact times corrects them.",
	"date_order":              "day_first or month_first, where the file leaves it open.",
	"allow_currency_mismatch": "true takes the amounts of a file in another currency than the account's as they are. Without it a commit of such a file is refused with 400 mixed_currencies, and the import stays pending.",
	"corporate_actions":       "ignore leaves out the splits that the file states. Without it, or with record, a commit records those whose state is new in corporate_actions of the preview.",
	"kinds":                   "A JSON object from words of unknown_kinds to their kinds: deposit, withdrawal, transfer, fee, interest, dividend, withholding, tax, adjustment or ignore. A commit stores them for later files of the same layout. Words that the file does not contain are ignored.",
	"origin":                  "watch marks the file as one that the watch agent found, so that fills that were deleted by hand stay deleted. Taken from access tokens with the scope import; ignored from other callers.",
	"trade_date":              "The day of times that have none, such as 2026-01-31. Without it the day in the name of the file is taken.",
}

// importAPI has the operations on imports.
type importAPI struct {
	imports *imports.Service
}

func (a importAPI) register(api *API) {
	route := func(needs permission, method, path, id, summary string) route {
		r := journalRoute(needs, method, "/imports"+path, id, "Imports", summary)
		if method == http.MethodPost {
			r.status, r.body, r.limit, r.form = http.StatusOK, transport.FormBody, api.options.ImportMaxBytes, true
			r.limitKind = importQueue
			r.refusals, r.fields = append(r.refusals, http.StatusNotFound), uploadFields
		}
		return r
	}
	registerList(api, route(readImports, http.MethodGet, "", "listImports", "List imports, newest first"), a.listImports)
	register(api, route(uploadFiles, http.MethodPost, "", "previewImport", "Preview a file; nothing is written"), a.previewImport)
	register(api, route(uploadFiles, http.MethodPost, "/commit", "commitImport", "Import a file"), a.commitImport)
	register(api, route(uploadFiles, http.MethodPost, "/{id}/commit", "finishImport", "Finish a pending import with the same file"), a.finishImport)
	a.wordKindOperations(api, route)
	register(api, route(readImports, http.MethodGet, "/{id}", "getImport", "Read an import"),
		func(ctx context.Context, in *ByID[journal.BatchID]) (*body[importBatch], error) {
			found, err := a.imports.Batch(ctx, caller(ctx), in.ID)
			return answer(shapeBatch(ctx, found), err)
		})
	register(api, route(writeJournal, http.MethodDelete, "/{id}", "reverseImport", "Reverse an import: delete its fills and cash rows, keep annotations"),
		func(ctx context.Context, in *DeleteOf[journal.BatchID]) (*nothing, error) {
			check := transport.IfMatch(in.IfMatch, func(b imports.Batch) any { return shapeBatch(ctx, b) })
			return nil, a.imports.Reverse(ctx, actor(ctx), in.ID, check)
		})
}

func actor(ctx context.Context) imports.Actor {
	return imports.Actor{Principal: caller(ctx), Client: client(ctx)}
}

func (a importAPI) listImports(ctx context.Context, in *Paging) (*listing[importBatch], error) {
	size := in.pageSize()
	keys, err := in.decodeCursor(1)
	if err != nil {
		return nil, err
	}
	after := journal.BatchID("")
	if keys != nil {
		after = journal.BatchID(keys[0])
	}
	if size > 0 {
		size++
	}
	list, total, err := a.imports.Batches(ctx, caller(ctx), after, size)
	if err != nil {
		return nil, err
	}
	return newListing(in, list, total, func(b imports.Batch) importBatch { return shapeBatch(ctx, b) }, func(b imports.Batch) []string { return []string{string(b.ID)} }), nil
}

// upload reads the form for the three file routes.
func upload(ctx context.Context, in UploadQuery) (imports.Upload, error) {
	form := transport.FormOf(ctx)
	if form.File == nil {
		return imports.Upload{}, journal.InvalidField("file", "The form has no file. Send one in the field file.")
	}
	data, err := form.File.Bytes()
	if err != nil {
		return imports.Upload{}, err
	}
	up := imports.Upload{
		FileName: form.File.Name, Data: data, SHA256: &form.File.SHA256,
		Account: journal.AccountID(form.Fields["account_id"]), DefaultAccount: journal.AccountID(form.Fields["default_account_id"]),
		Zone: form.Fields["source_tz"], DefaultZone: form.Fields["default_tz"], Order: form.Fields["date_order"], Day: form.Fields["trade_date"],
	}
	if up.Account == "" {
		up.Account = in.AccountID
	}
	if by := caller(ctx); (by.Scope == identity.ScopeImport || by.Credential == identity.CredentialWatch) && form.Fields["origin"] == string(imports.FromWatch) {
		up.Origin = imports.FromWatch
	}
	switch form.Fields["allow_currency_mismatch"] {
	case "", "false":
	case "true":
		up.AllowCurrencyMismatch = true
	default:
		return imports.Upload{}, journal.InvalidField("allow_currency_mismatch", "allow_currency_mismatch must be true or false.")
	}
	switch form.Fields["corporate_actions"] {
	case "", "record":
	case "ignore":
		up.IgnoreActions = true
	default:
		return imports.Upload{}, journal.InvalidField("corporate_actions", "corporate_actions must be record or ignore.")
	}
	if text := form.Fields["column_mapping"]; text != "" {
		if err := transport.Unmarshal([]byte(text), &up.Mapping); err != nil {
			return imports.Upload{}, journal.InvalidField("column_mapping", "column_mapping must be a JSON object of texts, with each key once.")
		}
	}
	if text := form.Fields["kinds"]; text != "" {
		if err := transport.Unmarshal([]byte(text), &up.Kinds); err != nil {
			return imports.Upload{}, journal.InvalidField("kinds", "kinds must be a JSON object of texts, with each key once.")
		}
	}
	return up, nil
}

func (a importAPI) previewImport(ctx context.Context, in *UploadQuery) (*body[importPreview], error) {
	up, err := upload(ctx, *in)
	if err != nil {
		return nil, err
	}
	preview, err := a.imports.Inspect(ctx, caller(ctx).UserID, up)
	return answer(shapePreview(preview), err)
}

func (a importAPI) commitImport(ctx context.Context, in *UploadQuery) (*body[imports.Result], error) {
	up, err := upload(ctx, *in)
	if err != nil {
		return nil, err
	}
	result, err := a.imports.Commit(ctx, actor(ctx), up)
	return answer(result, err)
}

func (a importAPI) finishImport(ctx context.Context, in *finishInput) (*body[imports.Result], error) {
	up, err := upload(ctx, in.UploadQuery)
	if err != nil {
		return nil, err
	}
	result, err := a.imports.Finish(ctx, actor(ctx), in.ID, up)
	return answer(result, err)
}
