package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// File contains a run's results, for render and compare.
type File struct {
	Label   string    `json:"label"` // the measured version
	Machine Machine   `json:"machine"`
	At      time.Time `json:"at"`
	Records []Record  `json:"records,omitempty"`
	Soaks   []Soak    `json:"soaks,omitempty"`

	Simulations []Simulation `json:"simulations,omitempty"`
}

// Machine describes the machine without identifying it.
type Machine struct {
	Cores     int    `json:"cores"`
	MemoryMiB int64  `json:"memory_mib"`
	Processor string `json:"processor"`
	System    string `json:"system"`
	Go        string `json:"go"`
}

// Record is one operation on one engine at one size. Times are nanoseconds.
type Record struct {
	Engine    string        `json:"engine"`
	Size      int           `json:"size"` // fills in the large account
	Operation string        `json:"operation"`
	Samples   int           `json:"samples"`
	P50       time.Duration `json:"p50"`
	P95       time.Duration `json:"p95"`
	First     time.Duration `json:"first"` // the first such call since the data changed
	Noise     float64       `json:"noise"` // relative to p50
	Rate      float64       `json:"rate,omitempty"`
	Amount    int64         `json:"amount,omitempty"` // bytes, in a memory or storage record

	Limit      string        `json:"limit,omitempty"` // what is measured as the limit
	LimitP50   time.Duration `json:"limit_p50,omitempty"`
	LimitNoise float64       `json:"limit_noise,omitempty"`
	LimitRate  float64       `json:"limit_rate,omitempty"`
	Ratio      float64       `json:"ratio,omitempty"` // how many times the limit it costs

	RSSBefore int64         `json:"rss_before"`
	PeakRSS   int64         `json:"peak_rss"`
	CPU       time.Duration `json:"cpu"`     // on the server, per call
	Written   int64         `json:"written"` // by the server, a call
	Bytes     int64         `json:"bytes"`   // in the last answer
	Errors    int           `json:"errors"`
	Failure   string        `json:"failure,omitempty"` // the first error

	// Counted call by call for interleaved operations.
	ownCPU     time.Duration
	ownWritten int64
}

// setLimit sets the record's limit and the ratio to it.
func (r *Record) setLimit(name string, limit times) {
	r.Limit, r.LimitP50, r.LimitNoise = name, limit.median(), limit.noise()
	if r.LimitP50 > 0 {
		r.Ratio = float64(r.P50) / float64(r.LimitP50)
	}
}

// setLimitRate sets the limit's rate; the ratio is a call's cost as a multiple of the
// limit's.
func (r *Record) setLimitRate(name string, rate float64) {
	r.Limit, r.LimitRate = name, rate
	if r.Rate > 0 {
		r.Ratio = rate / r.Rate
	}
}

func (r *Record) fail(err error) {
	r.Errors++
	if r.Failure == "" {
		r.Failure = err.Error()
	}
}

func writeFile(path string, f File) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func readFile(path string) (f File, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("%s is not a file of results: %w", path, err)
	}
	return f, nil
}

// thisMachine reads /proc; missing values are empty.
func thisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	memory, _ := os.ReadFile("/proc/meminfo")
	if kib, err := strconv.ParseInt(strings.TrimSuffix(field(memory, "MemTotal"), " kB"), 10, 64); err == nil {
		m.MemoryMiB = kib >> 10
	}
	processor, _ := os.ReadFile("/proc/cpuinfo")
	m.Processor = field(processor, "model name")
	return m
}

// field returns the value in a line "name: value".
func field(text []byte, name string) string {
	for line := range bytes.Lines(text) {
		if before, after, found := strings.Cut(string(line), ":"); found && strings.TrimSpace(before) == name {
			return strings.TrimSpace(after)
		}
	}
	return ""
}
