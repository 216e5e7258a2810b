package backup

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/views"
)

// View is a saved view. Accounts in its filter are replaced by places, setups and tags by
// names; unknown ids stay in the filter.
type View struct {
	Name      string            `json:"name"`
	Filter    map[string]string `json:"filter"`
	Accounts  []int             `json:"accounts,omitempty"`
	Setups    []string          `json:"setups,omitempty"`
	Tags      []string          `json:"tags,omitempty"`
	Columns   []string          `json:"columns"`
	Sort      string            `json:"sort,omitzero"`
	Order     string            `json:"order,omitzero"`
	Pinned    bool              `json:"pinned,omitzero"`
	CreatedAt Instant           `json:"created_at,omitzero"`
}

// The filter parameters with ids as values.
const (
	accountParameter = "account_id"
	setupParameter   = "setup_id"
	tagParameter     = "tag_id"
)

func (e *exporter) writeViews() error {
	list, err := views.List(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "views", list, e.view)
}

func (e *exporter) view(v views.View) View {
	out := View{
		Name: v.Name, Filter: v.Filter.Values(), Columns: v.Columns, Sort: string(v.Sort), Order: v.Order, Pinned: v.Pinned,
		CreatedAt: Instant{v.CreatedAt},
	}
	replaceIDs(out.Filter, accountParameter, func(id string) bool {
		place, known := e.places[journal.AccountID(id)]
		if known {
			out.Accounts = append(out.Accounts, place)
		}
		return known
	})
	replaceIDs(out.Filter, setupParameter, func(id string) bool { return appendName(&out.Setups, e.named[journal.SetupID(id)]) })
	replaceIDs(out.Filter, tagParameter, func(id string) bool { return appendName(&out.Tags, e.tagNames[journal.TagID(id)]) })
	return out
}

func appendName(list *[]string, name string) bool {
	if name != "" {
		*list = append(*list, name)
	}
	return name != ""
}

// replaceIDs removes the ids replace knows from a parameter.
func replaceIDs(filter map[string]string, name string, replace func(id string) bool) {
	ids := slices.DeleteFunc(strings.Split(filter[name], ","), func(id string) bool {
		id = strings.TrimSpace(id)
		return id == "" || replace(id)
	})
	if filter[name] = strings.Join(ids, ","); filter[name] == "" {
		delete(filter, name)
	}
}

// restoreViews adds the views whose names are free among views for the same accounts.
func (r *playbookRestorer) restoreViews() error {
	list, places, err := convertRows(r.restorer, "View", slices.All(r.Document.Views), r.newView)
	if err != nil {
		return err
	}
	added, refusals, err := views.Restore(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.Views = added
	return r.acceptAll("View", places, refusals)
}

func (r *playbookRestorer) newView(in View) (views.NewView, error) {
	filter := map[string]string{}
	maps.Copy(filter, in.Filter)
	var accounts []journal.AccountID
	for _, place := range in.Accounts {
		account := r.accountAt(&place)
		if account == "" {
			return views.NewView{}, journal.InvalidField("accounts", "accounts has the place %s, which is not in the file.", strconv.Itoa(place))
		}
		accounts = append(accounts, account)
	}
	setups, err := findEach(in.Setups, r.setups.find)
	if err != nil {
		return views.NewView{}, err
	}
	tags, err := findEach(in.Tags, r.tags.find)
	if err != nil {
		return views.NewView{}, err
	}
	addIDs(filter, accountParameter, accounts)
	addIDs(filter, setupParameter, setups)
	addIDs(filter, tagParameter, tags)
	return views.NewView{CreatedAt: in.CreatedAt.instantOr(r.now), Change: views.Change{
		Name: journal.Some(in.Name), Filter: journal.Some(filter), Columns: journal.Some(in.Columns), Sort: journal.Some(ledger.SortKey(in.Sort)),
		Order: journal.Some(in.Order), Pinned: journal.Some(in.Pinned),
	}}, nil
}

// addIDs adds ids to a parameter.
func addIDs[ID ~string](filter map[string]string, name string, ids []ID) {
	var list []string
	if filter[name] != "" {
		list = append(list, filter[name])
	}
	for _, id := range ids {
		list = append(list, string(id))
	}
	if len(list) > 0 {
		filter[name] = strings.Join(list, ",")
	}
}
