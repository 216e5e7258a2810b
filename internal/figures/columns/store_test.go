package columns_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestColumnsAreStored starts services on the same directory: after the columns
// were stored, after more writes, after the database went back, and with a
// damaged file.
func TestColumnsAreStored(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		const trades = 500
		fills := make([]ledger.NewFill, 0, 2*trades)
		for i := range trades {
			for k, side := range []matching.Side{matching.Buy, matching.Sell} {
				fills = append(fills, ledger.NewFill{
					Symbol: "AAA", Side: side, Quantity: decimal.New(1), Price: decimal.New(int64(10 + k*(i%7))), ExecutedAt: minute(2*i + k),
				})
			}
		}
		must(t, h.DB.Update(t.Context(), func(tx *db.Tx) error {
			_, err := h.Ledger.InsertFills(t.Context(), tx, h.owner, h.account, "", fills)
			return err
		}))
		h.fill("OPEN", matching.Buy, "1", "10", 5)
		dir := filepath.Join(t.TempDir(), "columns")
		open := func() *columns.Service {
			s := columns.New(h.DB, 0, dir)
			s.SetMinStored(trades)
			return s
		}
		start := func(what string) {
			t.Helper()
			s := open()
			if got, want := h.dump(s), h.dump(columns.New(h.DB, 0, "")); got != want {
				t.Errorf("%s: the figures differ", what)
			}
			s.WaitForStore()
		}
		file := func() (path string, info os.FileInfo) {
			t.Helper()
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			must(t, err)
			if len(files) != 1 {
				t.Fatalf("the directory has %q", files)
			}
			info, err = os.Stat(files[0])
			must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("the file has the mode %s", info.Mode())
			}
			return files[0], info
		}
		small := columns.New(h.DB, 0, dir)
		h.dump(small)
		small.WaitForStore()
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("the columns of %d trades were stored: %v", trades, err)
		}
		start("the first start")
		_, first := file()
		h.saveState()
		h.fill("AAA", matching.Buy, "1", "10", -5)
		h.fill("OPEN", matching.Sell, "1", "12", 6)
		start("after writes")
		if _, now := file(); !os.SameFile(first, now) {
			t.Error("two writes are enough to store the columns again")
		}
		h.rewind()
		start("after going back")
		path, _ := file()
		text, err := os.ReadFile(path)
		must(t, err)
		text[len(text)/3]++
		must(t, os.WriteFile(path, text, 0o600))
		start("with a damaged file")
		if now, err := os.ReadFile(path); err != nil || bytes.Equal(now, text) {
			t.Errorf("the damaged file was not replaced: %v", err)
		}
		s := open()
		must(t, s.Sweep(time.Now().Add(24*time.Hour)))
		file()
		must(t, s.Sweep(time.Now().Add(8*24*time.Hour)))
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("after a week: %v", err)
		}
	})
}
