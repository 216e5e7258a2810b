package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// bill is the list of what is inside a release, in the JSON of CycloneDX 1.6.
// Go modules are those that the linker noted in the binaries; packages of the
// page are those of its lock file that are not for development only; those of
// the API reference are read from its licence file.
type bill struct {
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licences []licence `json:"licenses,omitempty"`
	Package  string    `json:"purl"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

func newBill(ctx context.Context, version string, at time.Time, binaries []string) (*bill, error) {
	modules, err := goModules(ctx, binaries)
	if err != nil {
		return nil, err
	}
	page, err := pagePackages("web/package-lock.json")
	if err != nil {
		return nil, err
	}
	reference, err := referencePackages("internal/webui/docs/scalar.SOURCE.txt", "internal/webui/docs/scalar.LICENSE.txt")
	if err != nil {
		return nil, err
	}
	all := slices.Concat(modules, page, reference)
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.Package, b.Package) })
	all = slices.CompactFunc(all, func(a, b component) bool { return a.Package == b.Package })
	return &bill{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1, SerialNumber: serial(version, at),
		Metadata: metadata{Timestamp: at.Format(time.RFC3339), Component: component{
			Type: "application", Ref: "fillbook", Name: "fillbook", Version: version,
			Licences: under("MIT"), Package: "pkg:generic/fillbook@" + version,
		}},
		Components: all,
	}, nil
}

func (b *bill) write(file string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// serial is a number of the kind the format wants, but one that the same
// commit gives again.
func serial(version string, at time.Time) string {
	sum := sha256.Sum256([]byte("fillbook " + version + " " + at.Format(time.RFC3339)))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	text := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

func under(id string) []licence {
	if id == "" {
		return nil
	}
	l := licence{}
	l.Licence.ID = id
	return []licence{l}
}

// goModules are the modules of all binaries together, and the Go that built
// them, whose standard library is in each.
func goModules(ctx context.Context, binaries []string) ([]component, error) {
	found := map[string]component{}
	for _, binary := range binaries {
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			return nil, err
		}
		compiler := strings.TrimPrefix(info.GoVersion, "go")
		found["std"] = component{
			Type: "library", Ref: "std", Name: "std", Version: compiler, Licences: under("BSD-3-Clause"),
			Package: "pkg:golang/std@" + compiler,
		}
		for _, module := range info.Deps {
			sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:"))
			if err != nil || module.Replace != nil {
				return nil, fmt.Errorf("the module %s is replaced or has no checksum", module.Path)
			}
			address := "pkg:golang/" + module.Path + "@" + module.Version
			found[module.Path] = component{
				Type: "library", Ref: address, Name: module.Path, Version: module.Version, Package: address,
				Hashes: []hash{{"SHA-256", hex.EncodeToString(sum)}},
			}
		}
	}
	if err := addLicences(ctx, found); err != nil {
		return nil, err
	}
	return slices.Collect(maps.Values(found)), nil
}

// addLicences reads the licence of each module from its sources. Only these
// modules are asked for by name, so that nothing else is fetched.
func addLicences(ctx context.Context, modules map[string]component) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(modules)), func(name string) bool { return name == "std" })
	said, err := exec.CommandContext(ctx, "go", append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, names...)...).Output()
	if err != nil {
		return fmt.Errorf("asking go for the modules: %w", err)
	}
	for line := range strings.Lines(string(said)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		id, err := licenceIn(dir)
		if err != nil {
			return fmt.Errorf("the module %s: %w", name, err)
		}
		module := modules[name]
		module.Licences = under(id)
		modules[name] = module
	}
	return nil
}

// licenceIn tells a licence by words that stand in no other.
func licenceIn(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[LlCc][IiOo][CcPp][EeYy]*"))
	if err != nil || len(files) == 0 {
		return "", errors.New("there is no licence")
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	plain := strings.Join(strings.Fields(string(text)), " ")
	for _, kind := range []struct{ words, id string }{
		{"Apache License Version 2.0", "Apache-2.0"},
		{"Mozilla Public License", "MPL-2.0"},
		{"Neither the name", "BSD-3-Clause"},
		{"The names of its contributors may not be used", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Permission to use, copy, modify, and/or distribute", "ISC"},
	} {
		if strings.Contains(plain, kind.words) {
			return kind.id, nil
		}
	}
	return "", fmt.Errorf("%s is no licence that we know", files[0])
}

// pagePackages are the packages that the page is built from.
func pagePackages(file string) ([]component, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			Licence   string `json:"license"`
			Integrity string `json:"integrity"`
			Dev       bool   `json:"dev"`
			Optional  bool   `json:"optional"`
			DevOption bool   `json:"devOptional"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var found []component
	for place, p := range lock.Packages {
		at := strings.LastIndex(place, "node_modules/")
		if at < 0 || p.Dev || p.DevOption || p.Optional {
			continue
		}
		name := place[at+len("node_modules/"):]
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil {
			return nil, fmt.Errorf("%s: the checksum of %s: %w", file, name, err)
		}
		c := npm(name, p.Version, p.Licence)
		c.Hashes = []hash{{"SHA-512", hex.EncodeToString(sum)}}
		found = append(found, c)
	}
	return found, nil
}

var bundledLine = regexp.MustCompile(`(?m)^(@?[^@\s]+)@(\S+) \(([^)]+)\): `)

// referencePackages are the script of the API reference and what it bundles.
func referencePackages(source, licences string) ([]component, error) {
	about, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	facts := map[string]string{}
	for line := range bytes.Lines(about) {
		if words := strings.Fields(string(line)); len(words) == 2 {
			facts[words[0]] = words[1]
		}
	}
	script := npm(facts["package"], facts["version"], facts["licence"])
	script.Hashes = []hash{{"SHA-256", facts["sha256"]}} // of the one file that we carry
	text, err := os.ReadFile(licences)
	if err != nil {
		return nil, err
	}
	found := []component{script}
	for _, line := range bundledLine.FindAllStringSubmatch(string(text), -1) {
		found = append(found, npm(line[1], line[2], line[3]))
	}
	return found, nil
}

func npm(name, version, licence string) component {
	address := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version
	return component{Type: "library", Ref: address, Name: name, Version: version, Licences: under(licence), Package: address}
}
