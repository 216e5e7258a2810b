package playbook

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// TagKind is a tag's purpose.
type TagKind string

// The tag kinds.
const (
	CustomTag  TagKind = "custom"
	MistakeTag TagKind = "mistake"
)

// Tag is a label a trader puts on trades. Its name is unique among the owner's tags
// without regard to case.
type Tag struct {
	ID          journal.TagID
	Name        string
	Color       string // #rgb or #rrggbb in lower case, or empty
	Description string
	Kind        TagKind
	CreatedAt   time.Time
}

// TagChange is a change to a tag. A new tag needs a name.
type TagChange struct {
	Name, Color, Description journal.Opt[string]
	Kind                     journal.Opt[TagKind]
}

// apply returns the tag after the change, or the reason why it is invalid.
func (c TagChange) apply(tag Tag) (Tag, error) {
	var err error
	if tag.Name, err = journal.CleanRequiredName("name", c.Name.Or(tag.Name)); err != nil {
		return Tag{}, err
	}
	if tag.Color, err = color(c.Color.Or(tag.Color)); err != nil {
		return Tag{}, err
	}
	if tag.Description, err = journal.CheckText("description", c.Description.Or(tag.Description)); err != nil {
		return Tag{}, err
	}
	switch tag.Kind = c.Kind.Or(tag.Kind); tag.Kind {
	case CustomTag, MistakeTag:
	case "":
		tag.Kind = CustomTag
	default:
		return Tag{}, journal.InvalidField("kind", "kind must be custom or mistake.")
	}
	return tag, nil
}

// color accepts the two CSS color forms every client can show.
func color(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimPrefix(text, "#")
	isColor := len(digits) != len(text) && (len(digits) == 3 || len(digits) == 6) && strings.Trim(digits, "0123456789abcdef") == ""
	if text != "" && !isColor {
		return "", journal.InvalidField("color", "color must be written like #1f77b4.")
	}
	return text, nil
}

// CountedTag is a tag with its trade count.
type CountedTag struct {
	Tag
	Trades int
}

// Tags lists the owner's tags by name, with their trade counts.
func (s *Service) Tags(ctx context.Context, owner journal.UserID) ([]CountedTag, error) {
	var tags []CountedTag
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		w := owned("trade_tags.user_id", owner)
		tags, err = db.List(ctx, tx, scanCountedTag, w.selectCounted(ctx)+` WHERE tags.user_id = $1 ORDER BY name_key, id`, w.args...)
		return err
	})
	return tags, err
}

const selectTags = `SELECT id, name, color, description, kind, created_at FROM tags`

// selectCounted returns the query for tags with the number of their trades: it counts
// the links of all tags at once. Links of trades that are gone do not count; their
// annotations are kept as orphans. w has the condition for links of the owner.
func (w *where) selectCounted(ctx context.Context) string {
	w.limitTrades(ctx, "trade_tags.trade_id")
	return `SELECT id, name, color, description, kind, created_at, COALESCE(trades, 0) FROM tags LEFT JOIN (
		SELECT trade_tags.tag_id, COUNT(*) AS trades FROM trade_tags LEFT JOIN orphaned_annotations AS o
		ON o.user_id = trade_tags.user_id AND o.trade_id = trade_tags.trade_id` +
		w.text.String() + ` AND o.trade_id IS NULL GROUP BY trade_tags.tag_id) AS counts ON counts.tag_id = tags.id`
}

// ListTags lists the owner's tags by name. It is a step.
func ListTags(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Tag, error) {
	return db.List(ctx, tx, scanTag, selectTags+` WHERE user_id = $1 ORDER BY name_key, id`, owner)
}

func scanTag(row db.Scanner) (Tag, error) {
	var tag Tag
	err := row.Scan(&tag.ID, &tag.Name, &tag.Color, &tag.Description, &tag.Kind, db.Instant(&tag.CreatedAt))
	return tag, err
}

func scanCountedTag(row db.Scanner) (t CountedTag, err error) {
	err = row.Scan(&t.ID, &t.Name, &t.Color, &t.Description, &t.Kind, db.Instant(&t.CreatedAt), &t.Trades)
	return t, err
}

// CreateTag creates a tag. A taken name is a conflict.
func (s *Service) CreateTag(ctx context.Context, owner journal.UserID, change TagChange) (Tag, error) {
	tag, err := change.apply(Tag{ID: journal.NewID[journal.TagID](), CreatedAt: s.clock()})
	if err != nil {
		return Tag{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := limits.Tags.Check(ctx, tx, owner, countTags); err != nil {
			return err
		}
		n, err := tx.InsertMany(ctx, "tags", tagColumns, `ON CONFLICT (user_id, name_key) DO NOTHING`, [][]any{tag.row(owner)})
		if err == nil && n == 0 {
			err = tagTaken(tag.Name)
		}
		tagHistory.Created(tx, owner, &tag)
		return err
	})
	return tag, err
}

// EnsureTags returns the tags with some names, and creates those that do not exist. It is a
// step.
func (s *Service) EnsureTags(ctx context.Context, tx *db.Tx, owner journal.UserID, names []string) (all, created []journal.TagID, err error) {
	stored, err := ListTags(ctx, tx, owner)
	if err != nil {
		return nil, nil, err
	}
	byKey := map[string]journal.TagID{}
	for _, tag := range stored {
		byKey[nameKey(tag.Name)] = tag.ID
	}
	for _, name := range names {
		tag, err := TagChange{Name: journal.Some(name)}.apply(Tag{ID: journal.NewID[journal.TagID](), CreatedAt: s.clock()})
		if err != nil {
			return nil, nil, err
		}
		if id, known := byKey[nameKey(tag.Name)]; known {
			all = append(all, id)
			continue
		}
		if err := limits.Tags.Check(ctx, tx, owner, countTags); err != nil {
			return nil, nil, err
		}
		if _, err := tx.InsertMany(ctx, "tags", tagColumns, "", [][]any{tag.row(owner)}); err != nil {
			return nil, nil, err
		}
		tagHistory.Created(tx, owner, &tag)
		byKey[nameKey(tag.Name)] = tag.ID
		all, created = append(all, tag.ID), append(created, tag.ID)
	}
	return all, created, nil
}

func tagTaken(name string) error {
	return journal.Conflict("There is already a tag called %s.", name)
}

var tagColumns = []string{"user_id", "id", "name", "name_key", "color", "description", "kind", "created_at"}

// row returns the values for tagColumns.
func (t *Tag) row(owner journal.UserID) []any {
	return []any{owner, t.ID, t.Name, nameKey(t.Name), t.Color, t.Description, t.Kind, db.Micros(t.CreatedAt)}
}

// ChangeTag changes what is sent.
func (s *Service) ChangeTag(
	ctx context.Context, owner journal.UserID, id journal.TagID, change TagChange, check Check[CountedTag],
) (tag CountedTag, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if tag, err = lockTag(ctx, tx, owner, id, check); err != nil {
			return err
		}
		old := tag.Tag
		if tag.Tag, err = change.apply(tag.Tag); err != nil {
			return err
		}
		tagHistory.Updated(tx, owner, &old, &tag.Tag)
		return updateTag(ctx, tx, owner, tag.Tag)
	})
	return tag, err
}

// updateTag writes a tag's values. A taken name is a conflict.
func updateTag(ctx context.Context, tx *db.Tx, owner journal.UserID, tag Tag) error {
	_, err := tx.Exec(ctx, `
		UPDATE tags SET name = $1, name_key = $2, color = $3, description = $4, kind = $5
		WHERE user_id = $6 AND id = $7`,
		tag.Name, nameKey(tag.Name), tag.Color, tag.Description, tag.Kind, owner, tag.ID)
	if errors.Is(err, db.ErrConflict) {
		return tagTaken(tag.Name)
	}
	return err
}

// DeleteTag deletes a tag and takes it off every trade.
func (s *Service) DeleteTag(ctx context.Context, owner journal.UserID, id journal.TagID, check Check[CountedTag]) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		tag, err := lockTag(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if err := s.unlink(ctx, tx, owner, taggedAccounts, owner, id); err != nil {
			return err
		}
		if err := recordRemovedTag(ctx, tx, owner, tag.Tag, ""); err != nil {
			return err
		}
		if err := s.replaceTag(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM tags WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// taggedAccounts selects the accounts in which trades have a tag.
const taggedAccounts = `SELECT DISTINCT trade_annotations.account_id FROM trade_annotations JOIN trade_tags
	ON trade_tags.user_id = trade_annotations.user_id AND trade_tags.trade_id = trade_annotations.trade_id
	WHERE trade_tags.user_id = $1 AND trade_tags.tag_id = $2 ORDER BY trade_annotations.account_id`

// MergeTag puts the tag into on every trade with the tag id, and deletes id. A trade that
// has both keeps one. It returns the remaining tag with its trades. It is a step.
func (s *Service) MergeTag(ctx context.Context, tx *db.Tx, owner journal.UserID, id, into journal.TagID) (CountedTag, error) {
	if id == into {
		return CountedTag{}, journal.InvalidField("into", "into must be another tag.")
	}
	locked := map[journal.TagID]CountedTag{}
	// In one order, so two merges in opposite directions do not block each other.
	for _, next := range slices.Sorted(slices.Values([]journal.TagID{id, into})) {
		tag, err := lockTag(ctx, tx, owner, next, nil)
		locked[next] = tag
		if journal.IsKind(err, journal.KindNotFound) && next == into {
			return CountedTag{}, journal.InvalidField("into", "into must be one of your tags.")
		}
		if err != nil {
			return CountedTag{}, err
		}
	}
	if err := s.unlink(ctx, tx, owner, taggedAccounts, owner, id); err != nil {
		return CountedTag{}, err
	}
	if err := recordRemovedTag(ctx, tx, owner, locked[id].Tag, into); err != nil {
		return CountedTag{}, err
	}
	if err := s.replaceTag(ctx, tx, owner, id, into); err != nil {
		return CountedTag{}, err
	}
	history.Describe(tx, owner, history.Description{
		Action: history.Update, Summary: "Merged tag " + locked[id].Name + " into " + locked[into].Name,
	})
	_, err := tx.Exec(ctx, `
		INSERT INTO trade_tags (user_id, trade_id, tag_id)
		SELECT user_id, trade_id, $3 FROM trade_tags WHERE user_id = $1 AND tag_id = $2
		ON CONFLICT (user_id, trade_id, tag_id) DO NOTHING`, owner, id, into)
	if err != nil {
		return CountedTag{}, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM tags WHERE user_id = $1 AND id = $2`, owner, id); err != nil {
		return CountedTag{}, err
	}
	return lockTag(ctx, tx, owner, into, nil)
}

func (s *Service) replaceTag(ctx context.Context, tx *db.Tx, owner journal.UserID, old, tag journal.TagID) error {
	if s.options.Known.TagReplaced == nil {
		return nil
	}
	return s.options.Known.TagReplaced(ctx, tx, owner, old, tag)
}

// unlink reports the accounts a query returns, because a tag or setup is taken off some
// of their trades.
func (s *Service) unlink(ctx context.Context, tx *db.Tx, owner journal.UserID, query string, args ...any) error {
	if s.options.Known.Unlinked == nil {
		return nil
	}
	accounts, err := db.List(ctx, tx, db.Single[journal.AccountID], query, args...)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		// A caller who is limited to some accounts may change what all accounts share.
		if err := s.options.Known.Unlinked(journal.UnlimitAccounts(ctx), tx, owner, account); err != nil {
			return err
		}
	}
	return nil
}

// lockTag reads a tag that is about to change and lets check look at it.
func lockTag(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TagID, check Check[CountedTag]) (CountedTag, error) {
	var tag CountedTag
	_, err := scanTag(tx.QueryRow(ctx, selectTags+` WHERE user_id = $1 AND id = $2`+tx.Lock(), owner, id))
	if err == nil {
		w := owned("trade_tags.user_id", owner)
		query := w.selectCounted(ctx)
		w.args = append(w.args, id)
		tag, err = scanCountedTag(tx.QueryRow(ctx, query+` WHERE tags.user_id = $1 AND tags.id = $`+strconv.Itoa(len(w.args)), w.args...))
	}
	return check.apply(tag, db.NotFound(err, "tag"))
}
