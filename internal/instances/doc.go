// Package instances holds tests of several servers on one database, and of
// what they do when that database goes away. It has no code of its own.
package instances
