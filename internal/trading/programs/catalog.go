package programs

import (
	_ "embed" // the catalog
	"sync"

	"github.com/go-json-experiment/json"
)

// catalog.json lists known programs, each with its sources and the day on which its figures
// were compared with them. To add a program, add an object; a test checks the file.
//
//go:embed catalog.json
var catalogText []byte

// BuiltIn is a program in the catalog.
type BuiltIn struct {
	ID      string `json:"id"`
	Program `json:",inline"`
}

// Catalog returns the built-in programs. The caller must not change them.
var Catalog = sync.OnceValue(func() []BuiltIn {
	list, err := readCatalog(catalogText)
	if err != nil {
		panic("programs: catalog.json: " + err.Error()) // a test checks it
	}
	return list
})

func readCatalog(text []byte) (list []BuiltIn, err error) {
	if err = json.Unmarshal(text, &list, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	for i := range list {
		if err = list[i].Check(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// FindBuiltIn returns a built-in program by its id.
func FindBuiltIn(id string) (Program, bool) {
	for i := range Catalog() {
		if p := &Catalog()[i]; p.ID == id {
			return p.Program, true
		}
	}
	return Program{}, false
}
