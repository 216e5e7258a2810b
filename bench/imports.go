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
	"strconv"
	"sync"
	"time"

	"fillbook/internal/db"
)

// importRows is how many fills the import is measured with.
const importRows = 100_000

// reportImport commits a file of generic fills and compares it with the bare
// insert of the same rows, and with how long reads take meanwhile.
func (b *bench) reportImport(ctx context.Context) error {
	rows := genericRows(importRows)
	bare, err := b.bareInsert(ctx, rows, false)
	if err != nil {
		return err
	}
	indexed, err := b.bareInsert(ctx, rows, true)
	if err != nil {
		return err
	}
	idle, _, err := b.readsDuring(ctx, func() error { time.Sleep(2 * time.Second); return nil })
	if err != nil {
		return err
	}
	file := genericFile(rows)
	status, account, err := b.call(ctx, http.MethodPost, "/accounts", map[string]any{"name": "imported"})
	if err != nil || status != http.StatusCreated {
		return fmt.Errorf("making an account: status %d: %w", status, err)
	}
	id := account["id"].(string)
	busy, commit, err := b.readsDuring(ctx, func() error { return b.upload(ctx, id, file) })
	if err != nil {
		return err
	}
	_, again, err := b.readsDuring(ctx, func() error { return b.upload(ctx, id, file) })
	if err != nil {
		return err
	}
	fmt.Printf("\nImport of %d generic fills over HTTP, a file of %d KiB\n\n| | time | ratio |\n|---|---|---|\n", importRows, len(file)>>10)
	line := func(name string, took time.Duration, ratios string) {
		fmt.Printf("| %s | %s | %s |\n", name, show(took), ratios)
	}
	line("bare multi-row insert of the rows, primary key only", bare, "")
	line("bare multi-row insert of the rows, the same indexes", indexed, "")
	line("commit, read and regrouped", commit, fmt.Sprintf("%.2f of bare, %.2f of bare with indexes", ratio(commit, bare), ratio(commit, indexed)))
	line("the same file again", again, fmt.Sprintf("%.2f of the commit", ratio(again, commit)))
	line("a page of trades, idle, p99", idle.quantile(.99), "")
	line("a page of trades, during the commit, p99", busy.quantile(.99), fmt.Sprintf("%.2f of idle", ratio(busy.quantile(.99), idle.quantile(.99))))
	return nil
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

// bareTable is the table of fills without what is around it.
const bareTable = `CREATE TABLE bare_fills (
	user_id TEXT NOT NULL, account BIGINT NOT NULL, seq BIGINT NOT NULL, id TEXT NOT NULL, stream BIGINT NOT NULL,
	executed_at BIGINT NOT NULL, is_buy BOOLEAN NOT NULL, quantity TEXT NOT NULL, price TEXT NOT NULL, fees TEXT NOT NULL,
	commission TEXT NOT NULL, multiplier TEXT NOT NULL, details TEXT NOT NULL, created_at BIGINT NOT NULL, trade_id TEXT NOT NULL,
	PRIMARY KEY (user_id, account, executed_at, seq))`

// bareInsert times a multi-row insert of the rows through the same driver, in
// one durable transaction.
func (b *bench) bareInsert(ctx context.Context, rows []genericRow, indexed bool) (time.Duration, error) {
	statements := []string{bareTable}
	if b.services.DB.Engine() == db.SQLite {
		statements[0] += " WITHOUT ROWID"
	}
	if indexed {
		statements = append(statements, `CREATE UNIQUE INDEX bare_id ON bare_fills (user_id, id)`,
			`CREATE UNIQUE INDEX bare_stream ON bare_fills (user_id, stream, executed_at, seq)`)
	}
	if err := b.statements(ctx, statements...); err != nil {
		return 0, err
	}
	values := make([][]any, len(rows))
	streams := map[string]int{}
	for i, r := range rows {
		if streams[r.symbol] == 0 {
			streams[r.symbol] = len(streams) + 1
		}
		id := fmt.Sprintf("01900000-0000-7000-8000-%012d", i)
		values[i] = []any{
			string(b.owner), 1, i, id, streams[r.symbol], r.at.UnixMicro(), r.buy, r.quantity, r.price, "0", "1.05", "1", "{}",
			r.at.UnixMicro(), id,
		}
	}
	columns := []string{
		"user_id", "account", "seq", "id", "stream", "executed_at", "is_buy", "quantity", "price", "fees", "commission", "multiplier",
		"details", "created_at", "trade_id",
	}
	begin := time.Now()
	err := b.services.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.InsertMany(ctx, "bare_fills", columns, "", values)
		return err
	})
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, b.statements(ctx, `DROP TABLE bare_fills`)
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
