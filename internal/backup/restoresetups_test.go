package backup

import (
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func (h *fixture) setups(t *testing.T, owner journal.UserID) []playbook.Setup {
	t.Helper()
	setups, err := h.playbook.Setups(h.ctx(), owner)
	must(t, err)
	return setups
}

// A setup takes the file's values: a missing price is cleared, whichever version wrote
// the file. A price left out by a person stays.
func TestRestoreClearsPricesOfASetup(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		setup, err := h.playbook.CreateSetup(t.Context(), owner, playbook.SetupChange{Name: journal.Some("Breakout"), Thesis: journal.Some("as it was")})
		must(t, err)
		text := h.export(t, owner, "")
		setPrices := func() {
			_, err := h.playbook.ChangeSetup(t.Context(), owner, setup.ID, playbook.SetupChange{
				Thesis: journal.Some("changed"), TargetPrice: journal.Some(decimal.New(5)), StopPrice: journal.Some(decimal.New(4)),
			}, nil, nil)
			must(t, err)
		}
		version1 := strings.NewReplacer(`"target_price":null,`, "", `"stop_price":null,`, "").Replace(toVersion1(text))
		for name, file := range map[string]string{"this version": text, "version 1": version1} {
			setPrices()
			if result := h.restore(t, owner, file); result.SetupsUpserted != 1 {
				t.Errorf("%s: %+v", name, result)
			}
			if got := h.setups(t, owner)[0]; got.TargetPrice.Valid || got.StopPrice.Valid || got.Thesis != "as it was" {
				t.Errorf("%s: the setup is %+v", name, got)
			}
			wantSame(t, h.export(t, owner, ""), text)
		}
		setPrices()
		wantComplete(t, h.restore(t, owner, `{"format":"fillbook","version":1,"setups":[{"name":"Breakout","thesis":"by hand"}]}`))
		if got := h.setups(t, owner)[0]; got.TargetPrice.String() != "5" || got.StopPrice.String() != "4" || got.Thesis != "by hand" {
			t.Errorf("a price that is not in the file: %+v", got)
		}
	})
}

// A setup stored under a name in another case was changed now, and keeps its creation
// time.
func TestRestoreFindsSetupsInAnyCase(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		_, err := h.playbook.CreateSetup(t.Context(), owner, playbook.SetupChange{Name: journal.Some("Breakout")})
		must(t, err)
		created := h.clock.Now()
		h.clock.Advance(time.Hour)
		result := h.restore(t, owner, `{"format":"fillbook","version":2,"setups":[
			{"name":"BREAKOUT","thesis":"new","checklist":[],"created_at":"2020-01-02T03:04:05Z"},
			{"name":"Fade","checklist":[],"created_at":"2020-01-02T03:04:05Z"}]}`)
		wantComplete(t, result)
		setups := h.setups(t, owner)
		if len(setups) != 2 || result.SetupsUpserted != 2 {
			t.Fatalf("%+v", setups)
		}
		if got := setups[0]; got.Name != "Breakout" || got.Thesis != "new" || !got.CreatedAt.Equal(created) || !got.UpdatedAt.Equal(h.clock.Now()) {
			t.Errorf("the setup that was there is %+v", got)
		}
		if got := setups[1]; got.CreatedAt.Year() != 2020 || got.UpdatedAt.Year() != 2020 {
			t.Errorf("the new setup is %+v", got)
		}
	})
}
