package metatrader

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestShapesEqualPatterns compares the checks for times and ids with regular expressions.
func TestShapesEqualPatterns(t *testing.T) {
	t.Parallel()
	stamp := regexp.MustCompile(`^\d{4}[.\-/]\d{2}[.\-/]\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$|^[34]\d{4}\.\d+$`)
	id := regexp.MustCompile(`^\d{1,20}$`)
	random := rand.New(rand.NewPCG(1, 2))
	stamps := 0
	for range 20_000 {
		text := []byte([]string{"2024.01.31 10:20:30.123", "2024-01-31T10:20", "45321.5", "12345678901234567890"}[random.IntN(4)])
		text = text[:len(text)-random.IntN(len(text))]
		for range random.IntN(3) {
			text[random.IntN(len(text))] = "0123456789.-/ T:x\n"[random.IntN(18)]
		}
		s := string(text)
		if isStamp(s) != stamp.MatchString(s) || isID(s) != id.MatchString(s) {
			t.Errorf("%q: time %v, id %v", s, isStamp(s), isID(s))
		}
		if isStamp(s) {
			stamps++
		}
	}
	if stamps < 1000 {
		t.Errorf("only %d of the texts are times", stamps)
	}
	for _, s := range []string{"", "\n", "1\n", "2024.01.31 10:20\n"} {
		if isStamp(s) || isID(s) {
			t.Errorf("%q was taken", s)
		}
	}
}
