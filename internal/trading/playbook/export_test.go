package playbook

import "time"

// Apply returns annotations after a change, for tests without a database.
func (c AnnotationChange) Apply(to Annotations) (Annotations, error) {
	return c.apply(to, PricesAboveZero, time.Time{})
}
