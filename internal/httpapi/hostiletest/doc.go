// Package hostiletest uploads hostile files to the API and measures the heap. It contains
// only tests, in a separate process because other tests would be measured too.
package hostiletest
