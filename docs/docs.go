// Package docs carries the documents that people who use Fillbook read, so
// that the program can show them without a network: the guide and the
// references that it points to.
package docs

import "embed"

// Files holds guide/ and the references beside it, as Markdown.
//
//go:embed guide/*.md api.md backup.md backup-format.md brokers.md glossary.md history.md metrics.md
var Files embed.FS
