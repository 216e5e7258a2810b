// Package hostiletest uploads hostile files to the API and measures the heap. It contains
// only tests, which need a process of their own: other tests would be measured too.
package hostiletest
