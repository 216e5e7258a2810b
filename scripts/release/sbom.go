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

// sbom is the software bill of materials of a release in CycloneDX 1.6 JSON. It
// lists the Go modules that the linker recorded in the binaries, the packages of
// the page (those in its lock file that are not only for development), and the
// packages bundled in the script of the API reference (from its license file).
type sbom struct {
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
	Licenses []license `json:"licenses,omitempty"`
	Package  string    `json:"purl"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

func newSBOM(ctx context.Context, version string, modified time.Time, binaries []string) (*sbom, error) {
	modules, err := readModules(ctx, binaries)
	if err != nil {
		return nil, err
	}
	page, err := readPagePackages("web/package-lock.json")
	if err != nil {
		return nil, err
	}
	reference, err := readReferencePackages("internal/webui/docs/scalar.SOURCE.txt", "internal/webui/docs/scalar.LICENSE.txt")
	if err != nil {
		return nil, err
	}
	all := slices.Concat(modules, page, reference)
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.Package, b.Package) })
	all = slices.CompactFunc(all, func(a, b component) bool { return a.Package == b.Package })
	return &sbom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1, SerialNumber: newSerialNumber(version, modified),
		Metadata: metadata{Timestamp: modified.Format(time.RFC3339), Component: component{
			Type: "application", Ref: "fillbook", Name: "fillbook", Version: version,
			Licenses: licenses("MIT"), Package: "pkg:generic/fillbook@" + version,
		}},
		Components: all,
	}, nil
}

func (s *sbom) write(file string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// newSerialNumber returns a UUID derived from version and time, so that the same
// commit always has the same serial number.
func newSerialNumber(version string, modified time.Time) string {
	sum := sha256.Sum256([]byte("fillbook " + version + " " + modified.Format(time.RFC3339)))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	text := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

func licenses(id string) []license {
	if id == "" {
		return nil
	}
	var l license
	l.License.ID = id
	return []license{l}
}

// readModules returns the modules linked into the binaries, and the Go standard
// library.
func readModules(ctx context.Context, binaries []string) ([]component, error) {
	found := map[string]component{}
	for _, binary := range binaries {
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			return nil, err
		}
		compiler := strings.TrimPrefix(info.GoVersion, "go")
		found["std"] = component{
			Type: "library", Ref: "std", Name: "std", Version: compiler, Licenses: licenses("BSD-3-Clause"),
			Package: "pkg:golang/std@" + compiler,
		}
		for _, module := range info.Deps {
			sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:"))
			if err != nil || module.Replace != nil {
				return nil, fmt.Errorf("module %s is replaced or has no checksum", module.Path)
			}
			address := "pkg:golang/" + module.Path + "@" + module.Version
			found[module.Path] = component{
				Type: "library", Ref: address, Name: module.Path, Version: module.Version, Package: address,
				Hashes: []hash{{"SHA-256", hex.EncodeToString(sum)}},
			}
		}
	}
	if err := addLicenses(ctx, found); err != nil {
		return nil, err
	}
	return slices.Collect(maps.Values(found)), nil
}

// addLicenses sets the license of each module from its sources. It passes the
// modules by name to go list, which would fetch all of go.mod otherwise.
func addLicenses(ctx context.Context, modules map[string]component) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(modules)), func(name string) bool { return name == "std" })
	output, err := exec.CommandContext(ctx, "go", append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, names...)...).Output()
	if err != nil {
		return fmt.Errorf("listing modules: %w", err)
	}
	for line := range strings.Lines(string(output)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		id, err := detectLicense(dir)
		if err != nil {
			return fmt.Errorf("module %s: %w", name, err)
		}
		module := modules[name]
		module.Licenses = licenses(id)
		modules[name] = module
	}
	return nil
}

// detectLicense returns the SPDX identifier of the license file in dir, found by
// a phrase that only this license contains.
func detectLicense(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[LlCc][IiOo][CcPp][EeYy]*"))
	if err != nil || len(files) == 0 {
		return "", errors.New("no license file")
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	plain := strings.Join(strings.Fields(string(text)), " ")
	for _, known := range []struct{ phrase, id string }{
		{"Apache License Version 2.0", "Apache-2.0"},
		{"Mozilla Public License", "MPL-2.0"},
		{"Neither the name", "BSD-3-Clause"},
		{"The names of its contributors may not be used", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Permission to use, copy, modify, and/or distribute", "ISC"},
	} {
		if strings.Contains(plain, known.phrase) {
			return known.id, nil
		}
	}
	return "", fmt.Errorf("unknown license in %s", files[0])
}

// readPagePackages returns the packages that the page is built from.
func readPagePackages(file string) ([]component, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version   string `json:"version"`
			License   string `json:"license"`
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
	for location, p := range lock.Packages {
		at := strings.LastIndex(location, "node_modules/")
		if at < 0 || p.Dev || p.DevOption || p.Optional {
			continue
		}
		name := location[at+len("node_modules/"):]
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil {
			return nil, fmt.Errorf("%s: checksum of %s: %w", file, name, err)
		}
		c := newNPMComponent(name, p.Version, p.License)
		c.Hashes = []hash{{"SHA-512", hex.EncodeToString(sum)}}
		found = append(found, c)
	}
	return found, nil
}

var bundledLine = regexp.MustCompile(`(?m)^(@?[^@\s]+)@(\S+) \(([^)]+)\): `)

// readReferencePackages returns the script of the API reference and the packages
// bundled in it.
func readReferencePackages(source, licenses string) ([]component, error) {
	description, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	facts := map[string]string{}
	for line := range bytes.Lines(description) {
		if words := strings.Fields(string(line)); len(words) == 2 {
			facts[words[0]] = words[1]
		}
	}
	script := newNPMComponent(facts["package"], facts["version"], facts["license"])
	script.Hashes = []hash{{"SHA-256", facts["sha256"]}} // of the one file that is embedded
	text, err := os.ReadFile(licenses)
	if err != nil {
		return nil, err
	}
	found := []component{script}
	for _, line := range bundledLine.FindAllStringSubmatch(string(text), -1) {
		found = append(found, newNPMComponent(line[1], line[2], line[3]))
	}
	return found, nil
}

func newNPMComponent(name, version, license string) component {
	address := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version
	return component{Type: "library", Ref: address, Name: name, Version: version, Licenses: licenses(license), Package: address}
}
