package transport

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts requests for Prometheus. A nil *Metrics counts nothing.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec

	connectionRuns     *prometheus.CounterVec
	connectionRequests *prometheus.CounterVec
	connectionSuccess  *prometheus.GaugeVec
}

// NewMetrics returns counters for requests, the Go runtime and the process.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fillbook_http_requests_total", Help: "HTTP responses by route and status.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fillbook_http_request_seconds", Help: "Duration of HTTP requests by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
		connectionRuns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fillbook_connection_runs_total", Help: "Runs of connections by provider and outcome.",
		}, []string{"provider", "outcome"}),
		connectionRequests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fillbook_connection_requests_total", Help: "Requests of connections to providers.",
		}, []string{"provider"}),
		connectionSuccess: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "fillbook_connection_last_success_timestamp_seconds", Help: "Time of the last successful run of this server by provider.",
		}, []string{"provider"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.connectionRuns, m.connectionRequests, m.connectionSuccess,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler returns the handler serving the counters.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Metrics) observe(route string, status int, taken time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(taken.Seconds())
}

// ObserveConnectionRun counts a connection run.
func (m *Metrics) ObserveConnectionRun(provider, outcome string, requests int, endedAt time.Time, isSuccess bool) {
	m.connectionRuns.WithLabelValues(provider, outcome).Inc()
	m.connectionRequests.WithLabelValues(provider).Add(float64(requests))
	if isSuccess {
		m.connectionSuccess.WithLabelValues(provider).Set(float64(endedAt.Unix()))
	}
}
