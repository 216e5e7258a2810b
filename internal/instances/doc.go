// Package instances tests several servers on one database, and their behavior
// when the database becomes unavailable. It contains only tests.
package instances
