package connector

import (
	"slices"

	"fillbook/internal/base/remote"
)

// Site is one of a broker's servers, such as a country's or one for demo accounts.
type Site struct{ Value, Title, Host string }

// Sites are a broker's servers. Credentials are valid on one of them, which the user
// chooses with a field; the first one is the default.
type Sites struct {
	// Field is the field without its choices.
	Field remote.Field
	List  []Site
}

// NewField returns the field with its choices.
func (s Sites) NewField() remote.Field {
	field := s.Field
	for _, site := range s.List {
		field.Choices = append(field.Choices, remote.Choice{Value: site.Value, Title: site.Title})
	}
	return field
}

// Hosts returns the hosts of all sites.
func (s Sites) Hosts() (hosts []string) {
	for _, site := range s.List {
		if !slices.Contains(hosts, site.Host) {
			hosts = append(hosts, site.Host)
		}
	}
	return hosts
}

// Find returns the site the credentials choose.
func (s Sites) Find(session *remote.Session) Site {
	i := slices.IndexFunc(s.List, func(site Site) bool { return site.Value == session.Value(s.Field.Name) })
	return s.List[max(i, 0)]
}

// Address returns a path's address on the site the credentials choose.
func (s Sites) Address(session *remote.Session, path string) string {
	return "https://" + s.Find(session).Host + path
}
