package backup

import (
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/barfetch"
)

// BarSource is a price provider without its key: a key is sealed with the installation's
// secret, and others may read a backup.
type BarSource struct {
	Provider  string      `json:"provider"`
	Symbols   []string    `json:"symbols"`
	Since     journal.Day `json:"since,omitzero"`
	CreatedAt Instant     `json:"created_at,omitzero"`
}

func (e *exporter) writeBarSources() error {
	sources, err := barfetch.ListSources(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "bar_sources", sources, func(s barfetch.Source) BarSource {
		return BarSource{Provider: s.Provider, Symbols: s.Symbols, Since: s.Since, CreatedAt: Instant{s.CreatedAt}}
	})
}

// restoreBarSources adds the missing providers, switched off.
func (r *restorer) restoreBarSources() error {
	list := make([]barfetch.Source, len(r.Document.BarSources))
	for i, s := range r.Document.BarSources {
		list[i] = barfetch.Source{Provider: s.Provider, Symbols: s.Symbols, Since: s.Since, CreatedAt: s.CreatedAt.instantOr(r.now)}
	}
	added, refusals, err := barfetch.Restore(r.ctx, r.tx, r.Owner, list)
	r.result.BarSources = added
	if err != nil {
		return err
	}
	return r.acceptAll("Price provider", nil, refusals)
}
