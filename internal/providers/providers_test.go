package providers

import (
	"slices"
	"testing"
)

func TestAll(t *testing.T) {
	t.Parallel()
	if names := Names(); !slices.IsSorted(names) || len(slices.Compact(names)) != len(all) {
		t.Errorf("the names are not in order, or not unique: %q", names)
	}
	for _, p := range all {
		if p.fills != nil && p.bars != nil && p.fills.Describe().Name != p.bars.Describe().Name {
			t.Errorf("%s and %s are one provider", p.fills.Describe().Name, p.bars.Describe().Name)
		}
	}
	if len(Fills()) == 0 || len(Bars()) == 0 {
		t.Error("there are no fills or no bars")
	}
}
