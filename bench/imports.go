package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fillbook/internal/db"
)

// importRows is how many fills the import is measured with.
const importRows = 100_000

// reportImport commits a file of generic fills and compares it with the bare
// insert of the same rows, and with how long reads take meanwhile.
func (b *bench) reportImport(ctx context.Context) error {
	file := genericFile(genericRows(importRows))
	idle, _, err := b.readsDuring(ctx, func() error { time.Sleep(2 * time.Second); return nil })
	if err != nil {
		return err
	}
	status, account, err := b.call(ctx, http.MethodPost, "/accounts", map[string]any{"name": "imported"})
	if err != nil || status != http.StatusCreated {
		return fmt.Errorf("making an account: status %d: %w", status, err)
	}
	id := account["id"].(string)
	busy, watched, err := b.readsDuring(ctx, func() error { return b.upload(ctx, id, file) })
	if err != nil {
		return err
	}
	bare, err := b.bareInserts(ctx, id)
	if err != nil {
		return err
	}
	status, account, err = b.call(ctx, http.MethodPost, "/accounts", map[string]any{"name": "imported alone"})
	if err != nil || status != http.StatusCreated {
		return fmt.Errorf("making an account: status %d: %w", status, err)
	}
	id = account["id"].(string)
	commit, err := timed(func() error { return b.upload(ctx, id, file) })
	if err != nil {
		return err
	}
	again, err := timed(func() error { return b.upload(ctx, id, file) })
	if err != nil {
		return err
	}
	fmt.Printf("\nImport of %d generic fills over HTTP, a file of %d KiB\n\n| | time | ratio |\n|---|---|---|\n", importRows, len(file)>>10)
	line := func(name string, took time.Duration, ratios string) {
		fmt.Printf("| %s | %s | %s |\n", name, show(took), ratios)
	}
	line("bare multi-row insert of the fills, primary key only", bare.fills, "")
	line("bare multi-row insert of the fills, the same indexes", bare.indexed, "")
	line("bare multi-row insert of all rows stored, fills and trades, the same indexes", bare.all, "")
	line("commit: read, grouped and stored", commit,
		fmt.Sprintf("%.2f, %.2f and %.2f of those", ratio(commit, bare.fills), ratio(commit, bare.indexed), ratio(commit, bare.all)))
	line("commit while pages are read beside it", watched, "")
	line("the same file again", again, fmt.Sprintf("%.2f of the commit", ratio(again, commit)))
	line("a page of trades, idle, p99", idle.quantile(.99), "")
	line("a page of trades, during the commit, p99", busy.quantile(.99), fmt.Sprintf("%.2f of idle", ratio(busy.quantile(.99), idle.quantile(.99))))
	return nil
}

// timed gives the time that work takes.
func timed(work func() error) (time.Duration, error) {
	begin := time.Now()
	err := work()
	return time.Since(begin), err
}

// bareTimes are the limits that a commit is held against.
type bareTimes struct{ fills, indexed, all time.Duration }

// bareInserts times the insert of the very rows that an import has stored.
func (b *bench) bareInserts(ctx context.Context, account string) (t bareTimes, err error) {
	for i, c := range clones {
		var rows [][]any
		err := b.services.DB.View(ctx, func(tx *db.Tx) (err error) {
			rows, err = c.read(ctx, tx, account)
			return err
		})
		if err != nil {
			return t, err
		}
		took, err := b.bareInsert(ctx, c, rows, true)
		if err != nil {
			return t, err
		}
		t.all += took
		if i > 0 {
			continue
		}
		t.indexed = took
		if t.fills, err = b.bareInsert(ctx, c, rows, false); err != nil {
			return t, err
		}
	}
	return t, nil
}

type genericRow struct {
	symbol          string
	buy             bool
	quantity, price string
	at              time.Time
}

// genericRows are round trips in 200 symbols over three years.
func genericRows(n int) []genericRow {
	random := rand.New(rand.NewPCG(3, 4))
	rows := make([]genericRow, n)
	open := map[string]int{}
	begin := time.Date(2020, 1, 2, 14, 30, 0, 0, time.UTC)
	for i := range rows {
		symbol := fmt.Sprintf("SYM%d", random.IntN(200))
		quantity := open[symbol]
		if open[symbol] == 0 {
			quantity = 1 + random.IntN(500)
			open[symbol] = quantity
		} else {
			open[symbol] = 0
		}
		rows[i] = genericRow{
			symbol, open[symbol] != 0, strconv.Itoa(quantity), fmt.Sprintf("%d.%02d", 10+random.IntN(900), random.IntN(100)),
			begin.Add(time.Duration(i) * 15 * time.Minute),
		}
	}
	return rows
}

func (r genericRow) side() string {
	if r.buy {
		return "buy"
	}
	return "sell"
}

func genericFile(rows []genericRow) []byte {
	var b bytes.Buffer
	b.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,1.05\n", r.symbol, r.side(), r.quantity, r.price, r.at.Format(time.RFC3339))
	}
	return b.Bytes()
}

// clone is a table of the journal under another name, to insert the same rows
// into without what is around them.
type clone struct {
	table   string
	columns []string
	indexes []string // the columns of each; the first is the primary key
}

// clones are the tables that hold what an import writes.
var clones = []clone{
	{
		"executions",
		[]string{
			"user_id", "account", "seq", "id", "stream", "executed_at", "is_buy", "quantity", "price", "fees", "commission", "multiplier",
			"stated_pnl", "external_id", "origin", "details", "created_at", "trade_id", "flip_trade_id",
		},
		[]string{"user_id, account, executed_at, seq", "user_id, id", "user_id, stream, executed_at, seq"},
	},
	{
		"trades",
		[]string{
			"user_id", "id", "account", "stream", "is_open", "is_long", "opened_at", "first_seq", "head", "last_at", "last_seq", "list_at",
			"qty_opened", "qty_remaining", "entry_notional", "exit_notional", "volume", "avg_entry", "avg_exit", "multiplier", "fees",
			"commission", "gross_pnl", "net_pnl", "realized_pnl", "return_pct", "execution_count", "revision",
		},
		[]string{"user_id, id", "user_id, stream, opened_at, first_seq", "user_id, account, list_at, id", "user_id, account, opened_at, id"},
	},
}

// read gives the rows that an account has in the table.
func (c clone) read(ctx context.Context, tx *db.Tx, account string) ([][]any, error) {
	return db.List(ctx, tx, func(row db.Scanner) ([]any, error) {
		values, into := make([]any, len(c.columns)), make([]any, len(c.columns))
		for i := range values {
			into[i] = &values[i]
		}
		return values, row.Scan(into...)
	}, "SELECT "+strings.Join(c.columns, ", ")+" FROM "+c.table+
		" WHERE account = (SELECT number FROM accounts WHERE id = $1) ORDER BY "+c.indexes[0], account)
}

// bareInsert times the multi-row insert of rows through the same driver, in one
// durable transaction, into a clone of their table.
func (b *bench) bareInsert(ctx context.Context, c clone, rows [][]any, indexed bool) (time.Duration, error) {
	name := "bare_" + c.table
	text := "CREATE TABLE " + name + " AS SELECT " + strings.Join(c.columns, ", ") + " FROM " + c.table + " WHERE 1 = 0"
	statements := []string{text, "CREATE UNIQUE INDEX " + name + "_0 ON " + name + " (" + c.indexes[0] + ")"}
	for i, columns := range c.indexes[1:] {
		if indexed {
			statements = append(statements, fmt.Sprintf("CREATE INDEX %s_%d ON %s (%s)", name, i+1, name, columns))
		}
	}
	if err := b.statements(ctx, statements...); err != nil {
		return 0, err
	}
	took, err := timed(func() error {
		return b.services.DB.Update(ctx, func(tx *db.Tx) error { return plainInsert(ctx, tx, name, c.columns, rows) })
	})
	if err != nil {
		return 0, err
	}
	return took, b.statements(ctx, "DROP TABLE "+name)
}

// plainInsert is what anybody would write: an INSERT of some dozen rows, an
// argument for each value, prepared once.
func plainInsert(ctx context.Context, tx *db.Tx, table string, columns []string, rows [][]any) error {
	const atOnce = 50
	row := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	text := func(n int) string {
		return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Repeat(row+", ", n-1) + row
	}
	for part := range slices.Chunk(rows, atOnce) {
		if _, err := tx.Exec(ctx, text(len(part)), slices.Concat(part...)...); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) statements(ctx context.Context, texts ...string) error {
	return b.services.DB.Update(ctx, func(tx *db.Tx) error {
		for _, text := range texts {
			if _, err := tx.Exec(ctx, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// readsDuring runs work and, beside it, one reader that asks for a page of
// trades again and again.
func (b *bench) readsDuring(ctx context.Context, work func() error) (reads times, took time.Duration, err error) {
	done := make(chan struct{})
	var reader sync.WaitGroup
	var readErr error
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
			begin := time.Now()
			status, _, err := b.call(ctx, http.MethodGet, "/trades?limit=50&account_id="+string(b.large), nil)
			if err != nil || status != http.StatusOK {
				readErr = fmt.Errorf("reading trades: status %d: %w", status, err)
				return
			}
			reads = append(reads, time.Since(begin))
		}
	})
	begin := time.Now()
	err = work()
	took = time.Since(begin)
	close(done)
	reader.Wait()
	if err == nil {
		err = readErr
	}
	return reads, took, err
}

func (b *bench) upload(ctx context.Context, account string, file []byte) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("account_id", account)
	part, err := form.CreateFormFile("file", "fills.csv")
	if err != nil {
		return err
	}
	_, _ = part.Write(file)
	_ = form.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.address+"/imports/commit", &body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+b.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("importing: status %d: %s: %w", response.StatusCode, content, err)
	}
	var answer struct{ Inserted, Skipped int }
	if err := json.Unmarshal(content, &answer); err != nil {
		return err
	}
	if answer.Inserted+answer.Skipped != importRows {
		return fmt.Errorf("%d fills inserted and %d skipped of %d", answer.Inserted, answer.Skipped, importRows)
	}
	return nil
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
